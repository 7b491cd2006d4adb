import { connect } from 'node:net';

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

  /** @param hangUpMs when the caller leaves, answered or not */
  send({ text, isPaid }, hangUpMs = this.#giveUpMs) {
    return new Promise((resolve) => {
      const start = performance.now();
      const connection = this.#idle.pop() ?? this.#open();
      const end = (status) => {
        clearTimeout(timer);
        connection.done = null;
        if (status === null) connection.socket.destroy();
        else this.#idle.push(connection);
        resolve({ status, isPaid, ms: performance.now() - start });
      };
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
    let [head, missing, status] = ['', 0, 0];
    socket.setNoDelay(true);
    socket.on('data', (piece) => {
      if (missing > 0) missing -= piece.length;
      else {
        head += piece.latin1Slice();
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        status = Number(head.slice(9, 12));
        const [, length = '0'] = /content-length: (\d+)/i.exec(head) ?? [];
        missing = Number(length) - (head.length - end - 4);
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
