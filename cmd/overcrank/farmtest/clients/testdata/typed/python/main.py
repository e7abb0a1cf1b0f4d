"""Submits and follows a job with a client that was made of the document that the farm serves."""

import os
import sys
import time
import urllib.request

import client


def main() -> None:
    api = client.Client(os.environ["OVERCRANK_SERVER"], os.environ["OVERCRANK_TOKEN"])
    template = api.create_template({"type": "zip", "displayName": "Card"})
    with open(os.environ["PROJECT"], "rb") as project:
        put = urllib.request.Request(template["uploadInfo"]["url"], data=project.read(), method="PUT")
    with urllib.request.urlopen(put) as answer:
        assert answer.status == 200, answer.status

    title: client.TextAsset = {"type": "text", "layerName": "Title", "value": "Night Shift"}
    order: client.JobCreation = {
        "template": {"id": template["id"], "composition": "Title Card"},
        "assets": [title],
        "settings": {"frames": [0, 4]},
        "tags": ["typed"],
    }
    job = api.create_job(order, strict=True, idempotency_key="night-1")
    again = api.create_job(order, strict=True, idempotency_key="night-1")
    assert again["id"] == job["id"], again
    while True:
        now = api.get_job(job["id"])
        if now["status"] == "finished":
            break
        assert now["status"] not in ("error", "manually_cancelled"), now
        time.sleep(0.1)
    found = api.list_jobs(states=["finished"], tags=["typed"], limit=5)
    assert [j["id"] for j in found] == [job["id"]], found
    address = api.download_template_alias(template["id"])
    with urllib.request.urlopen(address["url"]) as answer:
        assert answer.status == 200, answer.status
    try:
        api.create_job({"template": {"id": template["id"]}, "settings": {"type": "aep", "frames": 1}})
    except client.ApiError as refused:
        assert refused.status == 400 and "settings.frames" in str(refused), refused
    else:
        sys.exit("a project was asked for by frames, and taken")
    print("done")


main()
