// SHA-256 in ExtendScript: slow, a few megabytes a second, and only for machines where the system's own program does not work.

var SHA_CONSTANTS = (function () {
    var list = [], n = 2, i, prime, fraction;
    while (list.length < 64) {
        prime = true;
        for (i = 2; i * i <= n; i++) {
            if (n % i === 0) {
                prime = false;
                break;
            }
        }
        if (prime) {
            // the first 32 bits of the fraction of the cube root
            fraction = Math.pow(n, 1 / 3);
            list.push(((fraction - Math.floor(fraction)) * 4294967296) | 0);
        }
        n++;
    }
    return list;
})();

// newSHA256 gives a hash that bytes are added to, one character for each.
function newSHA256() {
    var h = [0x6a09e667 | 0, 0xbb67ae85 | 0, 0x3c6ef372 | 0, 0xa54ff53a | 0, 0x510e527f | 0, 0x9b05688c | 0, 0x1f83d9ab | 0, 0x5be0cd19 | 0];
    var rest = "", length = 0, w = [];

    function turned(x, n) {
        return (x >>> n) | (x << (32 - n));
    }

    function block(bytes, at) {
        var a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7], i, t1, t2;
        for (i = 0; i < 64; i++) {
            if (i < 16) {
                w[i] = (bytes.charCodeAt(at + i * 4) << 24) | (bytes.charCodeAt(at + i * 4 + 1) << 16) | (bytes.charCodeAt(at + i * 4 + 2) << 8) | bytes.charCodeAt(at + i * 4 + 3);
            } else {
                t1 = w[i - 2];
                t2 = w[i - 15];
                w[i] = ((turned(t1, 17) ^ turned(t1, 19) ^ (t1 >>> 10)) + w[i - 7] + (turned(t2, 7) ^ turned(t2, 18) ^ (t2 >>> 3)) + w[i - 16]) | 0;
            }
            t1 = (k + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + SHA_CONSTANTS[i] + w[i]) | 0;
            t2 = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
            k = g;
            g = f;
            f = e;
            e = (d + t1) | 0;
            d = c;
            c = b;
            b = a;
            a = (t1 + t2) | 0;
        }
        h = [(h[0] + a) | 0, (h[1] + b) | 0, (h[2] + c) | 0, (h[3] + d) | 0, (h[4] + e) | 0, (h[5] + f) | 0, (h[6] + g) | 0, (h[7] + k) | 0];
    }

    function add(bytes) {
        var at = 0;
        length += bytes.length;
        bytes = rest + bytes;
        while (at + 64 <= bytes.length) {
            block(bytes, at);
            at += 64;
        }
        rest = bytes.substring(at);
    }

    function sum() {
        var bits = length * 8, tail = "\u0080", i, out = "", hex;
        while ((rest.length + tail.length) % 64 !== 56) {
            tail += "\u0000";
        }
        for (i = 7; i >= 0; i--) {
            tail += String.fromCharCode(Math.floor(bits / Math.pow(256, i)) % 256);
        }
        add(tail);
        for (i = 0; i < 8; i++) {
            hex = (h[i] >>> 0).toString(16);
            out += "00000000".substring(hex.length) + hex;
        }
        return out;
    }

    return {add: add, sum: sum};
}
