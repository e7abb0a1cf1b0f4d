// Takes the farm's webhooks. WEBHOOK_KEY is the key of GET /api/farm/v1/webhook-key; PORT is where to listen.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const want = Buffer.from('sha256=' + createHmac('sha256', process.env.WEBHOOK_KEY).update(body).digest('hex'))
  const got = Buffer.from(request.headers['x-signature'] ?? '')
  if (got.length !== want.length || !timingSafeEqual(got, want)) {
    response.writeHead(401).end()
    return
  }
  const job = JSON.parse(body)
  // A delivery may come twice: X-Delivery-Id tells.
  console.log(request.headers['x-delivery-id'], job.status, job.outputUrl)
  response.writeHead(204).end()
}).listen(Number(process.env.PORT), '127.0.0.1')
