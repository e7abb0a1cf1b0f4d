package api_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/api"
	"overcrank/api/throttle"
	"overcrank/farm"
)

// rule is who may use a route, written down a second time: the table in routes.go and this one have to agree.
type rule struct {
	role   farm.Role
	record string // whose id stands in the path or body as {id}; a key of makers, "" for none
	body   string // of a request that is right; {new} in it is a word that was not used before
	kind   string // Content-Type of the body, "" for none
	query  string // behind the address
	stream bool   // the body is sent in chunks, and not held against the documents
	status int    // that it is answered with
	farm   bool   // for members of the farm's first team alone
}

const (
	viewer   = farm.RoleViewer
	artist   = farm.RoleArtist
	producer = farm.RoleProducer
	operator = farm.RoleOperator
	admin    = farm.RoleAdmin
)

// rules has a line for every route.
var rules = map[string]rule{
	"POST /api/v2/templates":              {role: artist, body: `{"type": "aep", "displayName": "Opener"}`, status: 201},
	"GET /api/v2/templates":               {role: viewer, status: 200},
	"GET /api/v2/templates/{id}":          {role: viewer, record: "template", status: 200},
	"PATCH /api/v2/templates/{id}":        {role: artist, record: "template", body: `{"displayName": "Closer"}`, status: 200},
	"DELETE /api/v2/templates/{id}":       {role: producer, record: "template", status: 204},
	"GET /api/v2/templates/{id}/download": {role: viewer, record: "template", status: 410},
	"GET /api/v2/templates/{id}/upload":   {role: viewer, record: "template", status: 410},
	"PUT /api/v2/templates/{id}/upload":   {role: artist, record: "template", status: 200},

	"GET /api/v3/templates":                      {role: viewer, status: 200},
	"GET /api/v3/templates/{id}":                 {role: viewer, record: "template", status: 200},
	"GET /api/v3/templates/{id}/compositions":    {role: viewer, record: "template", status: 404},
	"GET /api/v3/templates/{id}/layers":          {role: viewer, record: "template", status: 404},
	"GET /api/v2/v3/templates":                   {role: viewer, status: 200},
	"GET /api/v2/v3/templates/{id}":              {role: viewer, record: "template", status: 200},
	"GET /api/v2/v3/templates/{id}/compositions": {role: viewer, record: "template", status: 404},
	"GET /api/v2/v3/templates/{id}/layers":       {role: viewer, record: "template", status: 404},

	"POST /api/v2/jobs":              {role: artist, body: srcJob, status: 201},
	"GET /api/v2/jobs":               {role: viewer, status: 200},
	"POST /api/v2/jobs/join":         {role: artist, body: srcJoin, status: 201},
	"POST /api/v2/jobs/cancel":       {role: artist, record: "job", body: `{"jobs": ["{id}"]}`, status: 200},
	"GET /api/v2/jobs/{id}":          {role: viewer, record: "job", status: 200},
	"GET /api/v2/jobs/{id}/logs":     {role: viewer, record: "job", status: 404},
	"PATCH /api/v2/jobs/{id}/cancel": {role: artist, record: "job", status: 200},

	"POST /api/v2/batches":                {role: artist, body: `{"jobs": [` + srcJob + `]}`, status: 201},
	"GET /api/v2/batches/{id}":            {role: viewer, record: "batch", status: 200},
	"POST /api/v2/batches/{id}/cancel":    {role: artist, record: "batch", status: 200},
	"GET /api/farm/v1/batches":            {role: viewer, status: 200},
	"POST /api/farm/v1/jobs/release":      {role: artist, record: "job", body: `{"jobs": ["{id}"]}`, status: 200},
	"POST /api/farm/v1/jobs/{id}/release": {role: artist, record: "job", status: 200},
	"POST /api/farm/v1/jobs/hold":         {role: artist, record: "job", body: `{"jobs": ["{id}"]}`, status: 200},
	"POST /api/farm/v1/jobs/{id}/hold":    {role: artist, record: "job", status: 200},

	"GET /api/farm/v1/info":                             {role: viewer, status: 200},
	"GET /api/farm/v1/agents":                           {role: viewer, status: 200},
	"GET /api/farm/v1/agents/{id}":                      {role: viewer, record: "agent", status: 200},
	"GET /api/farm/v1/agents/{id}/inventory":            {role: viewer, record: "agent", status: 200},
	"PATCH /api/farm/v1/agents/{id}":                    {role: operator, record: "agent", body: `{"name": "{new}", "tags": ["gpu"], "hours": ["mon-fri 19:00-08:00"]}`, status: 200, farm: true},
	"POST /api/farm/v1/agents/{id}/drain":               {role: operator, record: "agent", status: 200, farm: true},
	"POST /api/farm/v1/agents/{id}/pause":               {role: operator, record: "agent", status: 200, farm: true},
	"POST /api/farm/v1/agents/{id}/resume":              {role: operator, record: "agent", status: 200, farm: true},
	"DELETE /api/farm/v1/agents/{id}":                   {role: admin, record: "agent", status: 204, farm: true},
	"GET /api/farm/v1/jobs/{id}":                        {role: viewer, record: "job", status: 200},
	"GET /api/farm/v1/templates/{id}":                   {role: viewer, record: "template", status: 200},
	"GET /api/farm/v1/templates/{id}/versions":          {role: viewer, record: "template", status: 200},
	"GET /api/farm/v1/templates/{id}/preflight":         {role: viewer, record: "template", status: 404},
	"POST /api/farm/v1/templates/{id}/preview":          {role: artist, record: "template", body: `{"frame": 3}`, status: 409}, // without a file
	"GET /api/farm/v1/templates":                        {role: viewer, query: "?retired=true", status: 200},
	"PATCH /api/farm/v1/templates/{id}":                 {role: artist, record: "template", body: `{"sequential": true, "retired": true}`, status: 200},
	"GET /api/farm/v1/batches/{id}":                     {role: viewer, record: "batch", status: 200},
	"PATCH /api/farm/v1/batches/{id}":                   {role: artist, record: "batch", body: `{"name": "Spring", "dueAt": "2026-12-01T18:00:00Z"}`, status: 200},
	"PATCH /api/farm/v1/jobs/{id}":                      {role: artist, record: "job", body: `{"priority": 7, "level": "overnight"}`, status: 200},
	"GET /api/farm/v1/jobs/{id}/samples":                {role: viewer, record: "job", status: 200},
	"GET /api/farm/v1/jobs/{id}/samples/{frame}.png":    {role: viewer, record: "job", status: 404},
	"POST /api/farm/v1/jobs/{id}/approve":               {role: artist, record: "preview", status: 200},
	"POST /api/farm/v1/jobs/{id}/reject":                {role: artist, record: "preview", body: `{"reason": "too dark"}`, status: 200},
	"POST /api/farm/v1/jobs/{id}/render-again":          {role: artist, record: "job", body: `{"frames": [{"start": 3, "end": 5}]}`, status: 409}, // in one piece
	"GET /api/farm/v1/jobs/{id}/placement":              {role: viewer, record: "job", status: 200},
	"GET /api/farm/v1/queue":                            {role: viewer, status: 200},
	"POST /api/farm/v1/batches/{id}/retake":             {role: artist, record: "cancelled batch", body: `{"rows": [{"index": 0}]}`, status: 201},
	"GET /api/farm/v1/failures":                         {role: viewer, status: 200},
	"GET /api/farm/v1/failures/jobs":                    {role: viewer, query: "?cause=footage:nm.png", status: 200},
	"POST /api/farm/v1/failures/retry":                  {role: artist, body: `{"cause": "footage:nm.png"}`, status: 404}, // none failed
	"POST /api/farm/v1/failures/dismiss":                {role: artist, body: `{"jobs": ["01JQ0000000000000000000000"]}`, status: 204},
	"GET /api/farm/v1/reports":                          {role: viewer, status: 200},
	"GET /api/farm/v1/rates":                            {role: viewer, status: 200},
	"PUT /api/farm/v1/rates":                            {role: admin, body: `{"revision": 4711}`, status: 409, farm: true},
	"GET /api/farm/v1/projects":                         {role: viewer, query: "?archived=true", status: 200},
	"POST /api/farm/v1/projects":                        {role: producer, body: `{"name": "{new}"}`, status: 201},
	"GET /api/farm/v1/projects/{id}":                    {role: viewer, record: "project", status: 200},
	"PATCH /api/farm/v1/projects/{id}":                  {role: producer, record: "project", body: `{"name": "{new}"}`, status: 200},
	"POST /api/farm/v1/projects/{id}/archive":           {role: producer, record: "project", status: 200},
	"POST /api/farm/v1/projects/{id}/reopen":            {role: producer, record: "project", status: 200},
	"GET /api/farm/v1/teams/{id}/budget":                {role: viewer, record: "team", status: 200},
	"PUT /api/farm/v1/teams/{id}/budget":                {role: admin, record: "team", body: `{"hours": 400, "then": "warn"}`, status: 200, farm: true},
	"DELETE /api/farm/v1/teams/{id}/budget":             {role: admin, record: "team", status: 204, farm: true},
	"GET /api/farm/v1/search":                           {role: viewer, query: "?q=title", status: 200},
	"GET /api/farm/v1/jobs/{id}/tasks":                  {role: viewer, record: "job", status: 200},
	"GET /api/farm/v1/jobs/{id}/attempts":               {role: viewer, record: "job", status: 200},
	"GET /api/farm/v1/tasks/{id}":                       {role: viewer, record: "task", status: 200},
	"GET /api/farm/v1/tasks/{id}/attempts":              {role: viewer, record: "task", status: 200},
	"GET /api/farm/v1/events":                           {role: viewer, query: "?kinds=none", status: 400}, // what is right never ends
	"GET /api/farm/v1/farm":                             {role: viewer, status: 200},
	"POST /api/farm/v1/farm/pause":                      {role: operator, status: 200, farm: true},
	"POST /api/farm/v1/farm/resume":                     {role: operator, status: 200, farm: true},
	"GET /metrics":                                      {role: operator, status: 200},
	"GET /debug/pprof/profile":                          {role: admin, query: "?seconds=1", status: 200},
	"GET /debug/pprof/trace":                            {role: admin, query: "?seconds=1", status: 200},
	"GET /debug/pprof/symbol":                           {role: admin, status: 200},
	"GET /debug/pprof/allocs":                           {role: admin, status: 200},
	"GET /debug/pprof/block":                            {role: admin, status: 200},
	"GET /debug/pprof/goroutine":                        {role: admin, status: 200},
	"GET /debug/pprof/heap":                             {role: admin, status: 200},
	"GET /debug/pprof/mutex":                            {role: admin, status: 200},
	"POST /api/farm/v1/backup":                          {role: admin, body: `{"withoutKeys": true}`, status: 200, farm: true},
	"POST /api/farm/v1/backups/{id}/checked":            {role: admin, record: "backup", status: 200, farm: true},
	"POST /api/farm/v1/restore":                         {role: admin, body: noBackup, kind: fontKind, status: 400, farm: true},
	"GET /api/farm/v1/policy":                           {role: viewer, status: 200},
	"PUT /api/farm/v1/policy":                           {role: admin, body: `{"revision": {revision}}`, status: 200, farm: true},
	"PATCH /api/farm/v1/policy":                         {role: admin, body: `{"maxMachinesPerJob": 3}`, status: 200, farm: true},
	"GET /api/farm/v1/levels":                           {role: viewer, status: 200},
	"PATCH /api/farm/v1/levels":                         {role: operator, body: `{"overnight": {"hours": ["mon-fri 19:00-08:00"]}}`, status: 200, farm: true},
	"GET /api/farm/v1/releases":                         {role: viewer, status: 200},
	"POST /api/farm/v1/releases":                        {role: admin, body: `{"manifest": "{}", "manifestSignature": "x", "keys": "{}", "keysSignature": "x"}`, status: 409, farm: true}, // no root keys here
	"PUT /api/farm/v1/releases/files/{sha256}":          {role: admin, body: "x", kind: "application/octet-stream", stream: true, status: 400, farm: true},
	"DELETE /api/farm/v1/releases/{version}":            {role: admin, status: 404, farm: true},
	"GET /api/farm/v1/downloads":                        {role: viewer, status: 200},
	"POST /api/farm/v1/downloads":                       {role: admin, body: `{"kind": "ffmpeg", "name": "ffmpeg.zip", "sha256": "` + strings.Repeat("0", 64) + `"}`, status: 409, farm: true}, // not sent before
	"PUT /api/farm/v1/downloads/{sha256}/content":       {role: admin, body: "x", kind: "application/octet-stream", stream: true, status: 400, farm: true},
	"GET /api/farm/v1/downloads/{sha256}/content":       {role: viewer, status: 404},
	"DELETE /api/farm/v1/downloads/{sha256}":            {role: admin, status: 404, farm: true},
	"GET /api/farm/v1/updates":                          {role: viewer, status: 200},
	"PATCH /api/farm/v1/updates":                        {role: admin, body: `{"atOnce": 3, "hours": ["22:00-06:00"]}`, status: 200, farm: true},
	"POST /api/farm/v1/updates/resume":                  {role: admin, status: 409, farm: true},
	"GET /api/farm/v1/limits":                           {role: viewer, status: 200},
	"GET /api/farm/v1/presets":                          {role: viewer, status: 200},
	"GET /api/farm/v1/presets/{name}":                   {role: viewer, record: "preset", status: 200},
	"PUT /api/farm/v1/presets/{name}":                   {role: artist, record: "new preset", body: `{"settings": {"codec": "video_prores_422"}}`, status: 200},
	"DELETE /api/farm/v1/presets/{name}":                {role: artist, record: "preset", status: 204},
	"GET /api/farm/v1/limits/{name}":                    {role: viewer, record: "limit", status: 200},
	"PUT /api/farm/v1/limits/{name}":                    {role: operator, record: "limit", body: `{"total": 3}`, status: 200, farm: true},
	"DELETE /api/farm/v1/limits/{name}":                 {role: operator, record: "limit", status: 204, farm: true},
	"POST /api/farm/v1/files":                           {role: artist, body: "pixels", status: 201},
	"POST /api/farm/v1/uploads":                         {role: artist, body: `{"name": "spot.zip", "size": 3}`, status: 201},
	"GET /api/farm/v1/uploads/{id}":                     {role: artist, record: "upload", status: 200},
	"DELETE /api/farm/v1/uploads/{id}":                  {role: artist, record: "upload", status: 204},
	"PUT /api/farm/v1/uploads/{id}/parts/{part}":        {role: artist, record: "upload", body: "x", kind: "application/octet-stream", stream: true, status: 400},
	"POST /api/farm/v1/uploads/{id}/finish":             {role: artist, record: "upload", body: `{}`, status: 409}, // nothing has arrived
	"PUT /api/farm/v1/templates/{id}/file":              {role: artist, record: "template", body: `{"src": "farm://` + strings.Repeat("0", 64) + `"}`, status: 400},
	"POST /api/farm/v1/templates/{id}/footage":          {role: artist, record: "template", body: `{"files": []}`, status: 409}, // without a file
	"POST /api/farm/v1/preflight":                       {role: artist, body: `{"fonts": ["Inter-Bold"]}`, status: 200},
	"POST /api/farm/v1/templates":                       {role: artist, body: `{"displayName": "x", "files": []}`, status: 400},
	"GET /api/farm/v1/jobs/{id}/why":                    {role: viewer, record: "job", status: 200},
	"GET /api/farm/v1/jobs/{id}/thumbnails":             {role: viewer, record: "job", status: 200},
	"GET /api/farm/v1/jobs/{id}/thumbnails/{frame}.jpg": {role: viewer, record: "job", status: 404},

	"GET /api/farm/v1/jobs/{id}/delivery":              {role: viewer, record: "job", status: 404},
	"POST /api/farm/v1/jobs/{id}/delivery":             {role: artist, record: "job", status: 404},
	"GET /api/farm/v1/reviews":                         {role: viewer, status: 200},
	"GET /api/farm/v1/jobs/{id}/reviews":               {role: viewer, record: "job", status: 200},
	"POST /api/farm/v1/jobs/{id}/reviews":              {role: producer, record: "watchable", body: `{"for": "client"}`, status: 201},
	"DELETE /api/farm/v1/jobs/{id}/reviews/{review}":   {role: producer, record: "job", status: 404},
	"GET /api/farm/v1/jobs/{id}/comments":              {role: viewer, record: "job", status: 200},
	"POST /api/farm/v1/jobs/{id}/comments":             {role: artist, record: "watchable", body: `{"text": "warmer"}`, status: 201},
	"DELETE /api/farm/v1/jobs/{id}/comments/{comment}": {role: artist, record: "job", status: 404},
	"GET /api/farm/v1/logo":                            {role: viewer, status: 404},
	"PUT /api/farm/v1/logo":                            {role: admin, body: "x", kind: "application/octet-stream", stream: true, status: 400},
	"DELETE /api/farm/v1/logo":                         {role: admin, record: "own", status: 204},

	"GET /api/farm/v1/webhook-key":  {role: producer, status: 200},
	"POST /api/farm/v1/webhook-key": {role: admin, status: 201},

	"POST /api/v2/fonts":                     {role: artist, body: fontForm, kind: fontKind, status: 201},
	"GET /api/v2/fonts":                      {role: viewer, status: 200},
	"GET /api/v2/fonts/{id}":                 {role: viewer, record: "font", status: 200},
	"DELETE /api/v2/fonts/{id}":              {role: producer, record: "font", status: 204},
	"POST /api/farm/v1/fonts/{id}/stand-ins": {role: artist, record: "leveled font", body: `{"name": "{new}"}`, status: 201},

	"GET /api/v2/secrets":             {role: artist, status: 200},
	"PUT /api/v2/secrets":             {role: producer, body: `{"name": "{new}", "value": "v"}`, status: 201},
	"DELETE /api/v2/secrets/{id}":     {role: producer, record: "secret", status: 200},
	"PATCH /api/farm/v1/secrets/{id}": {role: producer, record: "secret", body: `{"machineTags": ["vault"]}`, status: 200},
	"POST /api/farm/v1/secret-keys":   {role: admin, body: `{}`, status: 200, farm: true},

	"GET /api/farm/v1/cluster/authority":    {role: admin, status: 200, farm: true},
	"GET /api/farm/v1/cluster/gossip-keys":  {role: admin, status: 200, farm: true},
	"POST /api/farm/v1/cluster/gossip-keys": {role: admin, body: `{}`, status: 201, farm: true},

	"GET /api/farm/v1/me":                                {role: viewer, status: 200},
	"GET /api/farm/v1/me/notifications":                  {role: viewer, status: 200},
	"PUT /api/farm/v1/me/notifications":                  {role: viewer, record: "own", body: `{"about": ["finished"]}`, status: 200},
	"POST /api/farm/v1/me/notifications/test":            {role: viewer, body: `{"way": "chat"}`, status: 409}, // no chat is set
	"PUT /api/farm/v1/me/watched-jobs/{id}":              {role: viewer, record: "watchable", status: 204},
	"DELETE /api/farm/v1/me/watched-jobs/{id}":           {role: viewer, record: "watchable", status: 204},
	"POST /api/farm/v1/sign-in-links":                    {role: viewer, status: 201},
	"GET /api/farm/v1/teams":                             {role: viewer, status: 200},
	"POST /api/farm/v1/teams":                            {role: admin, body: `{"name": "Trailers"}`, status: 201, farm: true},
	"GET /api/farm/v1/teams/{id}":                        {role: viewer, record: "team", status: 200},
	"PATCH /api/farm/v1/teams/{id}":                      {role: admin, record: "team", body: `{"name": "Spots"}`, status: 200},
	"DELETE /api/farm/v1/teams/{id}":                     {role: admin, record: "team", status: 204, farm: true},
	"GET /api/farm/v1/tokens":                            {role: admin, status: 200},
	"POST /api/farm/v1/tokens":                           {role: admin, body: `{"name": "x", "role": "viewer"}`, status: 201},
	"GET /api/farm/v1/tokens/{id}":                       {role: admin, record: "token", status: 200},
	"PATCH /api/farm/v1/tokens/{id}":                     {role: admin, record: "token", body: `{"role": "viewer"}`, status: 200},
	"DELETE /api/farm/v1/tokens/{id}":                    {role: admin, record: "token", status: 204},
	"GET /api/farm/v1/audit":                             {role: admin, status: 200},
	"GET /api/farm/v1/people":                            {role: admin, status: 200},
	"POST /api/farm/v1/people":                           {role: admin, body: `{"name": "x", "role": "viewer"}`, status: 201},
	"GET /api/farm/v1/people/{id}":                       {role: admin, record: "person", status: 200},
	"PATCH /api/farm/v1/people/{id}":                     {role: admin, record: "person", body: `{"role": "viewer"}`, status: 200},
	"DELETE /api/farm/v1/people/{id}":                    {role: admin, record: "person", status: 204},
	"POST /api/farm/v1/people/{id}/sign-in-links":        {role: admin, record: "person", status: 201},
	"DELETE /api/farm/v1/people/{id}/password":           {role: admin, record: "person", status: 204},
	"GET /api/farm/v1/people/{id}/sessions":              {role: admin, record: "person", status: 200},
	"DELETE /api/farm/v1/people/{id}/sessions":           {role: admin, record: "person", status: 204},
	"GET /api/farm/v1/people/{id}/passkeys":              {role: admin, record: "person", status: 200},
	"DELETE /api/farm/v1/people/{id}/passkeys/{passkey}": {role: admin, record: "person", status: 404}, // that has none
	"GET /api/farm/v1/sign-in-rules":                     {role: admin, status: 200, farm: true},
	"PUT /api/farm/v1/sign-in-rules":                     {role: admin, body: `{"revision": 9, "groups": []}`, status: 409, farm: true}, // they were changed since
	"GET /api/farm/v1/join-tokens":                       {role: admin, status: 200, farm: true},
	"POST /api/farm/v1/join-tokens":                      {role: admin, body: `{"name": "Suite 4"}`, status: 201, farm: true},
	"DELETE /api/farm/v1/join-tokens/{id}":               {role: admin, record: "invitation", status: 204, farm: true},

	"GET /api/farm/v1/cluster":                     {role: admin, status: 200, farm: true},
	"POST /api/farm/v1/cluster/transfer":           {role: admin, status: 409, farm: true}, // there is nobody else
	"POST /api/farm/v1/cluster/{id}/transfer":      {role: admin, record: "coordinator", status: 204, farm: true},
	"POST /api/farm/v1/cluster/{id}/remove":        {role: admin, record: "coordinator", status: 409, farm: true},
	"GET /api/farm/v1/cluster/invitations":         {role: admin, status: 200, farm: true},
	"POST /api/farm/v1/cluster/invitations":        {role: admin, body: `{"name": "rack 2"}`, status: 409, farm: true}, // a farm without a port for them
	"DELETE /api/farm/v1/cluster/invitations/{id}": {role: admin, record: "coordinator", status: 404, farm: true},
}

const srcJoin = `{"assets": [{"type": "video", "src": "https://files.example/a.mp4"}, {"type": "video", "src": "https://files.example/b.mp4"}]}`

// previewJob is a job that somebody has to approve of.
const previewJob = `{"template": {"src": "https://files.example/title.aep", "composition": "main"}, "settings": {"frames": [0, 9]}, "approve": true}`

// fontForm is the form with which a font is handed over.
const fontKind = "multipart/form-data; boundary=b"

var fontForm = "--b\r\nContent-Disposition: form-data; name=\"font\"; filename=\"Go-Regular.ttf\"\r\n\r\n" + string(goregular.TTF) + "\r\n--b--\r\n"

// noBackup is a form like one with a backup.
const noBackup = "--b\r\nContent-Disposition: form-data; name=\"backup\"; filename=\"farm.ocbackup\"\r\n\r\nnone\r\n--b--\r\n"

// fresh is a word that was not used before.
func fresh() string { return "W" + rand.Text() }

// makers make a record of a team, by the token of one of its administrators, and give its id.
var makers = map[string]func(r *rig, as string) string{
	"job": func(r *rig, as string) string { return r.make("/api/v2/jobs", srcJob, as) },
	"template": func(r *rig, as string) string {
		return r.make("/api/v2/templates", `{"type": "aep", "displayName": "x"}`, as)
	},
	"project": func(r *rig, as string) string {
		leveled(r, as)
		return r.make("/api/farm/v1/projects", `{"name": "`+fresh()+`"}`, as)
	},
	"preset": func(r *rig, as string) string {
		leveled(r, as)
		name := fresh()
		r.send(http.MethodPut, "/api/farm/v1/presets/"+name, `{"settings": {"quality": "draft"}}`, bearer(as)).into(http.StatusOK, nil)
		return name
	},
	"new preset": func(r *rig, as string) string { return leveled(r, as) + fresh() },
	"batch": func(r *rig, as string) string {
		var made struct{ BatchID string }
		r.send(http.MethodPost, "/api/v2/batches", `{"jobs": [`+srcJob+`]}`, bearer(as)).into(http.StatusCreated, &made)
		return made.BatchID
	},
	"cancelled batch": func(r *rig, as string) string {
		var made struct{ BatchID string }
		r.send(http.MethodPost, "/api/v2/batches", `{"jobs": [`+srcJob+`]}`, bearer(as)).into(http.StatusCreated, &made)
		r.send(http.MethodPost, "/api/v2/batches/"+made.BatchID+"/cancel", nil, bearer(as))
		return made.BatchID
	},
	"font": func(r *rig, as string) string {
		var made struct{ ID string }
		r.send(http.MethodPost, "/api/v2/fonts", fontForm, bearer(as), "Content-Type: "+fontKind).into(http.StatusCreated, &made)
		return made.ID
	},
	"leveled font": func(r *rig, as string) string {
		leveled(r, as)
		var made struct{ ID string }
		r.send(http.MethodPost, "/api/v2/fonts", fontForm, bearer(as), "Content-Type: "+fontKind).into(http.StatusCreated, &made)
		return made.ID
	},
	"secret": func(r *rig, as string) string {
		var made struct{ ID string }
		r.send(http.MethodPut, "/api/v2/secrets", map[string]string{"name": fresh(), "value": "v"}, bearer(as)).into(http.StatusCreated, &made)
		r.eventually("a new farm knows of secrets for some machines only", func() bool {
			return r.send(http.MethodPatch, "/api/farm/v1/secrets/"+made.ID, map[string][]string{"machineTags": {}}, bearer(as)).status == http.StatusOK
		})
		return made.ID
	},
	"own": leveled,
	"watchable": func(r *rig, as string) string {
		leveled(r, as)
		return r.make("/api/v2/jobs", srcJob, as)
	},
	"token":      func(r *rig, as string) string { return r.make(pathTokens, `{"name": "x", "role": "viewer"}`, as) },
	"person":     func(r *rig, as string) string { return r.make(pathPeople, `{"name": "x", "role": "viewer"}`, as) },
	"invitation": func(r *rig, _ string) string { return r.make(pathJoinTokens, `{"name": "x"}`, r.token) },
	"agent":      func(r *rig, _ string) string { return r.enrol("suite " + fresh()).self.AgentID },
	"coordinator": func(r *rig, _ string) string {
		var cluster struct{ ID string }
		r.get("/api/farm/v1/cluster").into(http.StatusOK, &cluster)
		return cluster.ID
	},
	"backup": func(r *rig, _ string) string {
		leveled(r, r.token)
		r.send(http.MethodPost, "/api/farm/v1/backup", `{"withoutKeys": true, "place": "nas:/backups"}`)
		var cluster struct {
			Backups []struct{ ID, Place string }
		}
		r.get("/api/farm/v1/cluster").into(http.StatusOK, &cluster)
		if len(cluster.Backups) == 0 || cluster.Backups[0].Place != "nas:/backups" {
			r.t.Fatalf("the farm remembers the backups %+v", cluster.Backups)
		}
		return cluster.Backups[0].ID
	},
	"upload": func(r *rig, as string) string {
		return r.make("/api/farm/v1/uploads", `{"name": "spot.zip", "size": 3, "key": "`+fresh()+`"}`, as)
	},
	"preview": func(r *rig, as string) string { return r.make("/api/v2/jobs", previewJob, as) },
	"limit": func(r *rig, _ string) string {
		name := fresh()
		r.send(http.MethodPut, "/api/farm/v1/limits/"+name, `{"total": 1}`).into(http.StatusCreated, nil)
		return name
	},
	"task": func(r *rig, as string) string { return r.make("/api/v2/jobs", srcJob, as) + ".1" },
	"team": func(r *rig, as string) string {
		var self struct{ Team struct{ ID string } }
		r.get("/api/farm/v1/me", bearer(as)).into(http.StatusOK, &self)
		return self.Team.ID
	},
}

// leveled waits until a new farm, whose level has yet to rise, keeps what callers want to be told of.
func leveled(r *rig, as string) string {
	r.eventually("the farm keeps what people want to be told of", func() bool {
		return r.send(http.MethodPut, "/api/farm/v1/me/notifications", `{"about": []}`, bearer(as)).status == http.StatusOK
	})
	return ""
}

// make makes a record by a POST and gives its id.
func (r *rig) make(path, body, as string) string {
	r.t.Helper()
	var made struct{ ID string }
	r.send(http.MethodPost, path, body, bearer(as)).into(http.StatusCreated, &made)
	return made.ID
}

// try uses a route with an id.
func (r *rig) try(address string, rule rule, id string, header ...string) reply {
	r.t.Helper()
	method, path, _ := strings.Cut(address, " ")
	path = strings.NewReplacer("{id}", id, "{name}", id, "{frame}", "0", "{part}", "0").Replace(path) + rule.query
	var body any
	if rule.body != "" {
		body = strings.NewReplacer("{id}", id, "{new}", fresh(), "{revision}", r.revision(rule.body)).Replace(rule.body)
	}
	if rule.stream {
		body = io.MultiReader(strings.NewReader(rule.body))
	}
	if rule.kind != "" {
		header = append(header, "Content-Type: "+rule.kind)
	}
	return r.send(method, path, body, header...)
}

// revision is that of the policy in force, for a body that has to name it.
func (r *rig) revision(body string) string {
	if !strings.Contains(body, "{revision}") {
		return ""
	}
	var policy struct{ Revision int }
	r.get("/api/farm/v1/policy").into(http.StatusOK, &policy)
	return strconv.Itoa(policy.Revision)
}

func (rule rule) recordOf(r *rig, as string) string {
	if rule.record == "" {
		return ""
	}
	return makers[rule.record](r, as)
}

// crowd is a farm that no number of refused secrets slows down.
func crowd(t *testing.T) *rig {
	return start(t, func(cfg *api.Config) { cfg.Strangers = throttle.Limit{PerSecond: 1e6, Burst: 1e6} })
}

func addresses() []string { return slices.Sorted(maps.Keys(rules)) }

func TestEveryRouteHasARule(t *testing.T) {
	routes := map[string]farm.Grant{}
	for _, r := range api.TeamRoutes() {
		routes[r.Method+" "+strings.NewReplacer(":id", "{id}", ":frame", "{frame}", ":name", "{name}", ":version", "{version}", ":sha256", "{sha256}", ":review", "{review}", ":passkey", "{passkey}", ":comment", "{comment}", ":part", "{part}").Replace(r.Path)] = r.Action.Grant()
	}
	for _, address := range slices.Sorted(maps.Keys(routes)) {
		rule, ok := rules[address]
		switch {
		case !ok:
			t.Errorf("%s has no line in rules: who may use it, and what with?", address)
		case rule.role != routes[address].Least || rule.farm != routes[address].Farm:
			t.Errorf("%s is open to %+v, and by the rules to %+v", address, routes[address], rule)
		}
	}
	for _, address := range addresses() {
		if _, ok := routes[address]; !ok {
			t.Errorf("%s has a rule and is no route", address)
		}
		if rule := rules[address]; rule.record != "" && makers[rule.record] == nil {
			t.Errorf("nothing makes a %s for %s", rule.record, address)
		}
	}
}

func TestEachRoleAgainstEachRoute(t *testing.T) {
	r := crowd(t)
	team := r.makeTeam("Trailers")
	as := map[farm.Role]string{}
	for _, role := range farm.Roles() {
		as[role] = r.makeToken(string(role), `, "team": "`+team.ID+`"`).Secret
	}
	for _, address := range addresses() {
		rule := rules[address]
		for _, role := range farm.Roles() {
			id := rule.recordOf(r, as[admin])
			want := rule.status
			if !role.Allows(rule.role) || rule.farm {
				want = http.StatusForbidden
			}
			a := r.try(address, rule, id, bearer(as[role]))
			if a.status != want {
				t.Errorf("%s as %s answers %d, want %d: %s", address, role, a.status, want, a.body)
			}
			if want == http.StatusForbidden && !bytes.Contains(a.body, []byte(`"error"`)) {
				t.Errorf("%s as %s says nothing: %s", address, role, a.body)
			}
		}
	}
	// What only the farm's own people may do, they can do.
	for _, role := range farm.Roles() {
		as[role] = r.makeToken(string(role), "").Secret
	}
	for _, address := range addresses() {
		rule := rules[address]
		if !rule.farm {
			continue
		}
		for _, role := range []farm.Role{producer, operator, admin} {
			id := rule.recordOf(r, r.token)
			if rule.record == "team" {
				id = r.makeTeam("Short").ID
			}
			want := rule.status
			if !role.Allows(rule.role) {
				want = http.StatusForbidden
			}
			if a := r.try(address, rule, id, bearer(as[role])); a.status != want {
				t.Errorf("%s as the farm's %s answers %d, want %d: %s", address, role, a.status, want, a.body)
			}
		}
	}
}

// lists are what shows whether anything of a team was changed.
var lists = []string{"/api/v2/jobs?limit=1000", "/api/v2/templates", "/api/v2/fonts", "/api/v2/secrets", "/api/farm/v1/batches", pathTeams, pathTokens, pathPeople}

// contents is all that lists show of a team, without the times at which tokens were used.
func (r *rig) contents(as string) string {
	r.t.Helper()
	var out strings.Builder
	for _, list := range lists {
		var records []map[string]any
		r.get(list, bearer(as)).into(http.StatusOK, &records)
		for _, record := range records {
			delete(record, "lastUsedAt")
			text, err := json.Marshal(record)
			if err != nil {
				r.t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s\n", text)
		}
	}
	return out.String()
}

func TestAnotherTeamsRecordsAreAsUnknownAsNone(t *testing.T) {
	r := crowd(t)
	team := r.makeTeam("Trailers")
	theirs := r.makeToken("admin", `, "team": "`+team.ID+`"`).Secret
	// The farm's administrators look after teams, tokens and people of all teams, but see nobody else's work. What is a caller's own has no address by which somebody else could ask.
	shared := []string{"agent", "limit", "invitation", "coordinator", "backup", "own", "new preset"}
	lookedAfter := append([]string{"team", "token", "person"}, shared...)
	for _, side := range []struct {
		name, owner, caller string
		skip                []string
	}{
		{"a team of the farm's first", r.token, theirs, shared},
		{"the farm's first team of another", theirs, r.token, lookedAfter},
	} {
		ids := map[string]string{}
		for kind, make := range makers {
			ids[kind] = make(r, side.owner)
		}
		before := r.contents(side.owner)
		for _, address := range addresses() {
			rule := rules[address]
			if rule.record == "" || slices.Contains(side.skip, rule.record) {
				continue
			}
			id := ids[rule.record]
			a := r.try(address, rule, id, bearer(side.caller))
			unknown := r.try(address, rule, unknownID, bearer(side.caller))
			want := http.StatusNotFound
			if rule.farm && side.owner == r.token {
				want = http.StatusForbidden // whatever its id is
			}
			if a.status != want || unknown.status != want {
				t.Errorf("%s, asked by %s: %d %s; of an unknown id: %d", address, side.name, a.status, a.body, unknown.status)
			}
			if got, want := strings.ReplaceAll(string(a.body), id, unknownID), string(unknown.body); got != want {
				t.Errorf("%s, asked by %s, tells another team's record from none:\n%s%s", address, side.name, got, want)
			}
		}
		if after := r.contents(side.owner); after != before {
			t.Errorf("asked by %s, something changed:\n%s\nwas\n%s", side.name, after, before)
		}
	}
}

func TestATokenThatIsNotGoodOpensNothing(t *testing.T) {
	r := crowd(t)
	team := r.makeTeam("Short")
	ended := r.makeToken("admin", `, "team": "`+team.ID+`"`).Secret
	r.send(http.MethodDelete, pathTeams+"/"+team.ID, nil).into(http.StatusNoContent, nil)
	revoked := r.makeToken("admin", "")
	r.send(http.MethodDelete, pathTokens+"/"+revoked.ID, nil).into(http.StatusNoContent, nil)
	var short tokenAnswer
	r.soon(func(ends time.Time) bool {
		a := r.send(http.MethodPost, pathTokens, map[string]any{"name": "short", "role": "admin", "expiresAt": ends})
		return a.status == http.StatusCreated && json.Unmarshal(a.body, &short) == nil
	})
	expired := short.Secret
	r.eventually("the token expires", func() bool { return r.get("/api/farm/v1/info", bearer(expired)).status == http.StatusUnauthorized })

	ids := map[string]string{}
	for kind, make := range makers {
		ids[kind] = make(r, r.token)
	}
	before := r.contents(r.token)
	for _, address := range addresses() {
		rule := rules[address]
		r.try(address, rule, ids[rule.record], "Authorization:").refused(http.StatusUnauthorized, "Bearer")
		r.try(address, rule, ids[rule.record], "Authorization: Basic "+r.token).refused(http.StatusUnauthorized, "Bearer")
		wrong := r.try(address, rule, ids[rule.record], bearer("oct_wrong")).refused(http.StatusUnauthorized)
		for what, secret := range map[string]string{
			"an expired": expired, "a revoked": revoked.Secret, "an ended team's": ended, "a hashed": "01JD7000000000000000000001", "a shortened": r.token[:len(r.token)-1],
		} {
			a := r.try(address, rule, ids[rule.record], bearer(secret))
			if a.status != http.StatusUnauthorized || !bytes.Equal(a.body, wrong.body) {
				t.Errorf("%s with %s token answers %d %s, with a wrong one %s", address, what, a.status, a.body, wrong.body)
			}
		}
	}
	if after := r.contents(r.token); after != before {
		t.Errorf("without a good token something changed:\n%s\nwas\n%s", after, before)
	}
}

func TestAnotherTeamsRecordsCannotBeUsed(t *testing.T) {
	r := crowd(t)
	team := r.makeTeam("Trailers")
	theirs := bearer(r.makeToken("admin", `, "team": "`+team.ID+`"`).Secret)
	template := makers["template"](r, r.token)
	var file struct{ Src string }
	r.send(http.MethodPost, "/api/farm/v1/files?name=a.png", "pixels").into(http.StatusCreated, &file)
	secret, noSecret := fresh(), fresh()
	r.send(http.MethodPut, "/api/v2/secrets", map[string]string{"name": secret, "value": "v"}).into(http.StatusCreated, nil)
	noFile := "farm://" + strings.Repeat("0", 64)
	for _, test := range []struct{ body, own, none string }{
		{`{"template": {"id": "{id}", "composition": "main"}}`, template, unknownID},
		{`{"template": {"src": "{id}", "composition": "main"}}`, file.Src, noFile},
		{`{"template": {"src": "https://files.example/a.aep", "composition": "main"}, "assets": [{"type": "image", "layerName": "l", "src": "{id}"}]}`, file.Src, noFile},
		{`{"template": {"src": "https://files.example/a.aep", "composition": "main"}, "assets": [{"type": "text", "layerName": "l", "value": "${secrets.{id}}"}]}`, secret, noSecret},
	} {
		own := r.send(http.MethodPost, "/api/v2/jobs", strings.ReplaceAll(test.body, "{id}", test.own), theirs)
		none := r.send(http.MethodPost, "/api/v2/jobs", strings.ReplaceAll(test.body, "{id}", test.none), theirs)
		if own.status < 400 || own.status != none.status {
			t.Errorf("%s with another team's answers %d %s, with none %d", test.body, own.status, own.body, none.status)
		}
		if got, want := strings.ReplaceAll(string(own.body), test.own, test.none), string(none.body); got != want {
			t.Errorf("%s tells another team's record from none:\n%s%s", test.body, got, want)
		}
	}
}
