// Submits and follows a job with a client whose types were made of the documents that the farm serves.
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components as farmComponents, paths as farmPaths } from "./farm.js";
import type { components, paths } from "./public.js";

type Asset = components["schemas"]["Asset"];
type Queue = farmComponents["schemas"]["QueueEntry"][];

function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

function want<T>(what: string, answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(`${what}: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

const options = { baseUrl: given("OVERCRANK_SERVER"), headers: { Authorization: `Bearer ${given("OVERCRANK_TOKEN")}` } };
const api = createClient<paths>(options);
const farm = createClient<farmPaths>(options);

const template = want("create template", await api.POST("/api/v2/templates", { body: { type: "zip", displayName: "Card" } }));
if (!template.uploadInfo) throw new Error("there is no upload address");
const put = await fetch(template.uploadInfo.url, { method: "PUT", body: await readFile(given("PROJECT")) });
if (!put.ok) throw new Error(`the upload answers ${put.status}`);

const title: Asset = { type: "text", layerName: "Title", value: "Night Shift" };
const job = want("create job", await api.POST("/api/v2/jobs", {
  params: { query: { strict: true } },
  body: { template: { id: template.id, composition: "Title Card" }, assets: [title], settings: { frames: [0, 4] }, tags: ["typed"] },
}));
for (;;) {
  const now = want("get job", await api.GET("/api/v2/jobs/{id}", { params: { path: { id: job.id } } }));
  if (now.status === "finished") break;
  if (now.status === "error" || now.status === "manually_cancelled") throw new Error(`the job has failed: ${now.stats?.error}`);
  await pause(100);
}
const found = want("list jobs", await api.GET("/api/v2/jobs", { params: { query: { states: ["finished"], tags: ["typed"], limit: 5 } } }));
if (found.length !== 1 || found[0]?.id !== job.id) throw new Error(`the list is ${JSON.stringify(found)}`);
const address = want("download", await api.GET("/api/v2/templates/{id}/upload", { params: { path: { id: template.id } } }));
if (!(await fetch(address.url)).ok) throw new Error("the template's file is not there");
const refused = await api.POST("/api/v2/jobs", { body: { template: { id: template.id }, settings: { type: "aep", frames: 1 } } });
if (refused.error?.details?.[0]?.field !== "settings.frames") throw new Error(`refused with ${JSON.stringify(refused.error)}`);
const queue: Queue = want("queue", await farm.GET("/api/farm/v1/queue", {}));
if (queue.length !== 0) throw new Error(`${queue.length} tasks wait`);
console.log("done");
