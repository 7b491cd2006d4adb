import { connect } from 'node:net';

/** Between the two parts of a request whose body comes slowly. */
const SLOW_MS = 300;
const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * Sends requests at their times on as many connections as it takes, each of which carries one request at a time. It
 * reads no more of an answer than its status and length: the generator shares the machine with the service.
 */
export class OpenLoop {
  #idle = [];
  #all = new Set();
  #port;
  #giveUpMs;
  #manySources;
  #opened = 0;

  /** @param manySources each connection comes from an address of its own, as a balancer counts them by address */
  constructor(url, giveUpMs, manySources = false) {
    this.#port = Number(new URL(url).port);
    this.#giveUpMs = giveUpMs;
    this.#manySources = manySources;
  }

  /** Poisson arrivals. @returns every request, with its status (null: no answer) and time */
  async run(perSecond, seconds, next) {
    const sent = [];
    const start = performance.now();
    for (let at = 0; at < 1000 * seconds;) {
      const late = performance.now() - start;
      while (at <= late && at < 1000 * seconds) {
        sent.push(this.send(next()));
        at += (-Math.log(1 - Math.random()) * 1000) / perSecond;
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const done = await Promise.all(sent);
    this.close();
    return done;
  }

  /**
   * @param request its text, and its rest, which is sent later: the time of the answer counts from there
   * @param hangUpMs when the caller leaves, answered or not
   */
  send({ text, rest, ...request }, hangUpMs = this.#giveUpMs) {
    return new Promise((resolve) => {
      let start = performance.now();
      const connection = this.#idle.pop() ?? this.#open();
      const end = (status) => {
        clearTimeout(timer);
        clearTimeout(later);
        connection.done = null;
        // What answers before it has read everything is not asked again.
        if (status === null || isPartial) connection.socket.destroy();
        else this.#idle.push(connection);
        resolve({ ...request, status, ms: performance.now() - start });
      };
      let isPartial = rest !== undefined;
      const later = isPartial
        ? setTimeout(() => {
            isPartial = false;
            start = performance.now();
            connection.socket.write(rest);
          }, SLOW_MS)
        : undefined;
      const timer = setTimeout(() => end(null), hangUpMs);
      connection.done = end;
      connection.socket.write(text);
    });
  }

  close() {
    for (const { socket } of this.#all) socket.destroy();
  }

  #open() {
    this.#opened += 1;
    const source = `127.1.${(this.#opened >> 8) & 255}.${this.#opened & 255}`;
    const socket = connect({
      ...{ port: this.#port, host: '127.0.0.1' },
      ...(this.#manySources && { localAddress: source }),
    });
    const connection = { socket, done: null };
    let [head, missing, status, tail] = ['', 0, 0, ''];
    socket.setNoDelay(true);
    socket.on('data', (piece) => {
      if (missing === Infinity) {
        tail = (tail + piece.latin1Slice(-LAST_CHUNK.length)).slice(-LAST_CHUNK.length);
        if (tail === LAST_CHUNK) missing = 0;
      } else if (missing > 0) missing -= piece.length;
      else {
        head += piece.latin1Slice();
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        status = Number(head.slice(9, 12));
        const [, length = '0'] = /content-length: (\d+)/i.exec(head) ?? [];
        missing = Number(length) - (head.length - end - 4);
        tail = head.slice(-LAST_CHUNK.length);
        if (/transfer-encoding: chunked/i.test(head)) missing = tail === LAST_CHUNK ? 0 : Infinity;
        head = '';
      }
      if (missing <= 0) connection.done?.(status);
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        this.#all.delete(connection);
        this.#idle = this.#idle.filter((one) => one !== connection);
        connection.done?.(null);
      });
    this.#all.add(connection);
    return connection;
  }
}
