// Work in small turns: After Effects has one thread, which has to be free for the artist between two turns.

var TURN_EVERY = 40; // milliseconds from one turn to the next
var TURN_TAKES = 60; // milliseconds that one turn takes at most, where the work can be divided
// PANEL is this panel's name among After Effects' globals: one that is docked and one in a window do not share their turns.
var PANEL = "OvercrankPanel_" + randomText(8);
var activities = [];
var armed = false;

// every runs step in each turn until it returns true. What it throws goes to failed, or else to the window: nothing fails in silence.
function every(step, failed) {
    var activity = {step: step, failed: failed, stopped: false};
    activities.push(activity);
    arm();
    return activity;
}

function arm() {
    if (armed || (activities.length === 0)) {
        return;
    }
    armed = true;
    app.scheduleTask("if ($.global." + PANEL + ") { $.global." + PANEL + ".turn(); }", TURN_EVERY, false);
}

function turn() {
    var list = activities.slice(0), left = [], i, activity;
    armed = false;
    for (i = 0; i < list.length; i++) {
        activity = list[i];
        if (activity.stopped) {
            continue;
        }
        try {
            // A step may have stopped its own activity: what it returns does not start it again.
            if (activity.step() === true) {
                activity.stopped = true;
            }
        } catch (error) {
            activity.stopped = true;
            if (activity.failed) {
                activity.failed(error);
            } else {
                $.global[PANEL].fault(error);
            }
        }
    }
    for (i = 0; i < activities.length; i++) {
        if (!activities[i].stopped) {
            left.push(activities[i]);
        }
    }
    activities = left;
    arm();
}

// after runs something once, when some milliseconds have passed.
function after(milliseconds, run) {
    var due = now() + milliseconds;
    return every(function () {
        if (now() < due) {
            return false;
        }
        run();
        return true;
    });
}

// eachOf runs step for one thing of a list after the other; step calls the function that it is given when it has done.
function eachOf(list, step, done) {
    function next(i) {
        if (i >= list.length) {
            done(null);
            return;
        }
        step(list[i], i, function (error) {
            if (error) {
                done(error);
                return;
            }
            // A new turn for each: a long list neither blocks nor fills the stack.
            after(0, function () {
                next(i + 1);
            });
        });
    }
    next(0);
}

$.global[PANEL] = {
    turn: turn,
    fault: function (error) {
        alert("Overcrank: " + errorText(error));
    }
};
