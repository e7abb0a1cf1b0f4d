package request

// UploadLimit bounds a streamed file.
const UploadLimit = 20 << 30
