// Solves the task of a page that asks for proof of work: for each part, a number with which the SHA-256 of "nonce.part.number" begins
// with as many zero bits as are asked for. Without this file the page waits and is loaded again.
const { work, bits, parts } = document.querySelector('[data-work]').dataset;
const [nonce] = work.split('.');
const SLICE_MS = 40;
const LIFETIME_SECONDS = 600;

/** The first 32 bits of the fractional parts of the roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
const primes = [];
for (let number = 2; primes.length < 64; number += 1)
  if (primes.every((prime) => number % prime !== 0)) primes.push(number);
const rootsOf = (power, count) =>
  Int32Array.from(primes.slice(0, count), (prime) => (prime ** power % 1) * 2 ** 32);
const [ROUNDS, START] = [rootsOf(1 / 3, 64), rootsOf(1 / 2, 8)];
const words = new Int32Array(64);
const turn = (word, by) => (word >>> by) | (word << (32 - by));

/** The first 32 bits of the SHA-256 of at most 55 characters of ASCII: the browser's own is asynchronous, and slower for so little. */
function digestOf(text) {
  words.fill(0, 0, 16);
  for (let at = 0; at < text.length; at += 1) words[at >> 2] |= text.charCodeAt(at) << (24 - 8 * (at & 3));
  words[text.length >> 2] |= 0x80 << (24 - 8 * (text.length & 3));
  words[15] = 8 * text.length;
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [words[at - 15], words[at - 2]];
    const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[at] = words[at - 16] + first + words[at - 7] + second;
  }
  let [a, b, c, d, e, f, g, h] = START;
  for (let at = 0; at < 64; at += 1) {
    const sum = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = (h + sum + ((e & f) ^ (~e & g)) + ROUNDS[at] + words[at]) | 0;
    const other = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const second = (other + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  return (a + START[0]) | 0;
}

const answer = [];
let number = 0;

// In slices, so that the page can be left.
function go() {
  const until = performance.now() + SLICE_MS;
  while (answer.length < parts) {
    if (Math.clz32(digestOf(`${nonce}.${answer.length}.${number}`)) >= bits) {
      answer.push(number);
      number = 0;
    } else number += 1;
    if (number % 512 === 0 && performance.now() > until) {
      setTimeout(go);
      return;
    }
  }
  const attributes = `path=/; max-age=${LIFETIME_SECONDS}; samesite=lax${location.protocol === 'https:' ? '; secure' : ''}`;
  document.cookie = `bowerbird_work=${work}.${answer.join('-')}; ${attributes}`;
  location.reload();
}

document.querySelector('[data-work-said]').textContent = 'Working …';
go();
