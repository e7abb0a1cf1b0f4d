#!/bin/sh
# Renders one film: uploads a project, fills in its words, waits, downloads the result.
#
#   export OVERCRANK_SERVER=http://farm.local:8080 OVERCRANK_TOKEN=oct_...
#   ./render.sh PROJECT COMPOSITION FILM [LAYER=TEXT ...]
#   ./render.sh spot.zip main spot.mp4 title='Night Shift' city=Oslo
#
# Needs curl and jq. Ends with 0 when the film is there, with 1 when the job failed.
set -eu

api=${OVERCRANK_SERVER:?the address of the farm}/api/v2
project=$1 composition=$2 film=$3
shift 3

call() { # METHOD PATH [curl's own arguments ...]
	method=$1 path=$2
	shift 2
	curl --silent --show-error --fail-with-body --retry 3 -X "$method" "$api$path" \
		-H "Authorization: Bearer ${OVERCRANK_TOKEN:?a token of the farm}" "$@"
}

# The template: register it, then put its file where uploadInfo says. That address carries its own signature.
template=$(jq -n --arg name "$(basename "$project")" --arg type "${project##*.}" '{type: $type, displayName: $name}' |
	call POST /templates -H 'Content-Type: application/json' --data @-)
id=$(echo "$template" | jq -r .id)
curl --silent --show-error --fail-with-body -X PUT "$(echo "$template" | jq -r .uploadInfo.url)" \
	-H 'Content-Type: application/octet-stream' --data-binary "@$project"

# The job may come at once: it waits until the project has been read.
assets='[]'
for pair; do
	assets=$(echo "$assets" | jq --arg layer "${pair%%=*}" --arg text "${pair#*=}" '. + [{type: "text", layerName: $layer, value: $text}]')
done
job=$(jq -n --arg id "$id" --arg composition "$composition" --argjson assets "$assets" \
	'{template: {id: $id, composition: $composition}, assets: $assets}' |
	call POST /jobs -H 'Content-Type: application/json' --data @-)
id=$(echo "$job" | jq -r .id)
echo "job $id" >&2

while :; do
	job=$(call GET "/jobs/$id")
	status=$(echo "$job" | jq -r .status)
	echo "$status $(echo "$job" | jq -r .progress)%" >&2
	case $status in
	finished) break ;;
	error | manually_cancelled)
		echo "$job" | jq -r '.stats.error // "cancelled"' >&2
		exit 1
		;;
	esac
	sleep 1
done

# The result needs no token: its address cannot be guessed.
curl --silent --show-error --fail --output "$film" "$(echo "$job" | jq -r .outputUrl)"
echo "$film"
