"""Takes the farm's webhooks. WEBHOOK_KEY is the key of GET /api/farm/v1/webhook-key; PORT is where to listen."""

import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = os.environ["WEBHOOK_KEY"].encode()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signature = "sha256=" + hmac.new(KEY, body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(signature, self.headers.get("X-Signature", "")):
            self.send_response(401)
            self.end_headers()
            return
        job = json.loads(body)
        # A delivery may come twice: X-Delivery-Id tells.
        print(self.headers["X-Delivery-Id"], job["status"], job["outputUrl"], flush=True)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        pass


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
