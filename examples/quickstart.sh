#!/usr/bin/env bash
# Seeds the demo data, ingests a Unit, finds it, and asks a question. Needs curl and node.
# Settings: SVC_URL, and SVC_TOKEN (an admin token of demo) if the service has been seeded before.
set -euo pipefail

url=${SVC_URL:-http://127.0.0.1:8787}
header=(${SVC_TOKEN:+-H "Authorization: Bearer $SVC_TOKEN"})

# Prints what a JavaScript expression makes of the JSON on standard input, which it sees as r.
pick() { node -p "const r = JSON.parse(require('fs').readFileSync(0)); $1"; }

# 1. Seed. The answer holds tokens that are shown only this once, so it is for its owner alone. Without an answer an earlier
# seed.json stays as it is; with one it is kept under another name: it may be of another service.
(umask 077 && curl -fsS -X POST "$url/v1/admin/seed" "${header[@]}" -o seed.json.new)
[ ! -e seed.json ] || mv seed.json "seed.$(date +%s).json"
mv seed.json.new seed.json
echo "seeded: $(pick 'r.counts.units' < seed.json) Units"
token=$(pick 'r.tokens.admin' < seed.json)

post() { curl -fsS "$url$1" -H "Authorization: Bearer $token" -H 'X-Svc-Scope: harbor/general' -d "$2"; }

# 2. Ingest. Sending the same external_id again updates the Unit.
post /v1/ingest '{"units": [{"external_id": "example-cat", "text": "The ferry cat Bollard sleeps on the chart table.", "acl_groups": ["*"]}]}' |
  pick '`ingested: ${r.units[0].status}`'

# 3. Search.
post /v1/search '{"q": "ferry cat", "top_k": 1}' | pick '`found: ${r.hits[0].external_id}`'

# 4. Answer.
post /v1/answer '{"q": "Where does the ferry cat sleep?"}' | pick '`answer: ${r.answer.text}`'
