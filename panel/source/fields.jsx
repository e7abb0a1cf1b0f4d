// What the window's fields mean: their choices, and the plan that they make.

// FORMATS are the outputs that the panel offers: what people read, the type and the codec of a job.
var FORMATS = [
    {text: "H.264, 15 Mbit/s (mp4)", type: "video", codec: "video_h264_vbr_15mbps"},
    {text: "H.264, 40 Mbit/s (mp4)", type: "video", codec: "video_h264_vbr_40mbps"},
    {text: "H.264, 5 Mbit/s (mp4)", type: "video", codec: "video_h264_vbr_5mbps"},
    {text: "ProRes 422 (mov)", type: "video", codec: "video_prores_422"},
    {text: "ProRes 4444 with transparency (mov)", type: "video", codec: "video_prores_4444"},
    {text: "PNG of each frame (zip)", type: "image", codec: "image_png"},
    {text: "JPEG of each frame (zip)", type: "image", codec: "image_jpeg"}
];

var RANGES = [{text: "Work area", range: null}, {text: "Whole composition", range: "all"}, {text: "Frames", range: "typed"}];

var LEVELS = [{text: "Normal", level: "normal"}, {text: "Rush", level: "rush"}, {text: "Overnight", level: "overnight"}];

var SPLITS = [{text: "As the farm decides", job: {}}, {text: "One machine, first frame to last", job: {sequential: true}}, {text: "At most 4 machines", job: {maxMachines: 4}}];

var ENGINES = [{text: "Any", engine: ""}, {text: "After Effects 2025", engine: "ae2025"}, {text: "After Effects 2026", engine: "ae2026"}];

function texts(choices) {
    var list = [], i;
    for (i = 0; i < choices.length; i++) {
        list.push(choices[i].text);
    }
    return list;
}

// planOf makes a plan of what the fields hold: {chosen (compositions), title, format, range, frames, level, priority, split, engine,
// preview, hold, reduce, template}, where choices are numbers.
function planOf(farm, fields) {
    var format = FORMATS[fields.format], plan, i, key, split = SPLITS[fields.split].job, range = RANGES[fields.range].range;
    if (trim(farm.server) === "") {
        throw problem("Enter the farm's address in the panel's settings");
    }
    if (trim(farm.token) === "") {
        throw problem("Enter a token in the panel's settings; the farm makes one under Settings, API tokens");
    }
    plan = {
        farm: farm, ids: [], names: [], frames: [], title: trim(fields.title), template: fields.template === true, reduce: fields.reduce === true, range: range,
        job: {level: LEVELS[fields.level].level, priority: wholeNumber(fields.priority, "The priority", -1000, 1000), settings: {type: format.type, codec: format.codec}}
    };
    for (i = 0; i < fields.chosen.length; i++) {
        plan.ids.push(fields.chosen[i].id);
        plan.names.push(fields.chosen[i].name);
        plan.frames.push(fields.chosen[i].frames);
    }
    if (range === "typed") {
        plan.range = framesOf(fields.frames);
    } else if ((format.type === "image") && (range === null)) {
        // A picture job without frames is a single one; an artist who asks for the work area means all of it.
        plan.workAreas = workAreas(plan.ids);
    }
    if (ENGINES[fields.engine].engine !== "") {
        plan.job.settings.engine = ENGINES[fields.engine].engine;
    }
    for (key in split) {
        if (has(split, key)) {
            plan.job[key] = split[key];
        }
    }
    if (fields.preview) {
        plan.job.preview = true;
        delete plan.job.settings;
        plan.range = null;
        plan.workAreas = null;
    }
    if (fields.hold) {
        plan.job.hold = true;
    }
    return plan;
}

// workAreas are the first and the last frame of each composition's work area.
function workAreas(ids) {
    var list = [], i, item, first;
    for (i = 0; i < ids.length; i++) {
        item = itemOf(ids[i]);
        first = Math.round(item.workAreaStart * item.frameRate);
        list.push([first, Math.max(first, first + Math.round(item.workAreaDuration * item.frameRate) - 1)]);
    }
    return list;
}

function wholeNumber(text, what, least, most) {
    var value = trim(text) === "" ? 0 : Number(text);
    if (isNaN(value) || (Math.floor(value) !== value) || (value < least) || (value > most)) {
        throw problem(what + " is a whole number from " + least + " to " + most);
    }
    return value;
}

// framesOf reads "12" or "12-40", counted from 0 at the composition's start.
function framesOf(text) {
    var found = /^\s*([0-9]{1,7})\s*(?:-\s*([0-9]{1,7})\s*)?$/.exec(text), first, last;
    if (!found) {
        throw problem("Frames are written as 12 or 12-40; the composition's first frame is 0");
    }
    first = Number(found[1]);
    last = found[2] ? Number(found[2]) : first;
    if (last < first) {
        throw problem("The last frame comes before the first");
    }
    return [first, last];
}
