import { connect, type TLSSocket } from 'node:tls';
import { failureCodeOf } from '../../../registry/exchange.js';
import { frameOf, FrameReader } from './framing.js';

export interface EppAddress {
  readonly host: string;
  readonly port: number;
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  /** The registry's own authority, PEM. Left out: Node's list. */
  readonly ca?: string | undefined;
}

/** No reply came. `wasSent`: the other side may have read the frame, and done what it says. */
export interface Lost {
  readonly lost: 'unreachable' | 'timeout' | 'cut_off' | 'no_frame';
  /** For the log: a system code or a limit, never what the other side said. */
  readonly detail: string;
  readonly wasSent: boolean;
}

export function isLost(result: object | string): result is Lost {
  return typeof result === 'object' && 'lost' in result;
}

/**
 * One connection to an EPP server: a frame, a reply, the next frame. Each exchange ends by its own deadline, and the
 * connection with it: a reply that comes later could be read as that of the next frame.
 */
export class EppConnection {
  private readonly reader = new FrameReader();
  private readonly waiting: string[] = [];
  private failure: Omit<Lost, 'wasSent'> | null = null;
  private wake: () => void = () => undefined;

  private constructor(private readonly socket: TLSSocket) {
    socket.on('data', (part: Buffer) => {
      const frames = this.reader.read(part);
      if (frames === null) return this.fail('no_frame', 'not a frame');
      this.waiting.push(...frames);
      this.wake();
    });
    socket.on('error', (error) => this.fail('cut_off', failureCodeOf(error)));
    socket.on('close', () => this.fail('cut_off', 'closed'));
  }

  /** Connects and reads the greeting. */
  static async open(
    { certificate, host, port, key, ca }: EppAddress,
    limitMs: number,
  ): Promise<{ connection: EppConnection; greeting: string } | Lost> {
    const from = performance.now();
    const socket = await secured(
      () => connect({ host, port, cert: certificate, key, ca, minVersion: 'TLSv1.2', ...serverName(host) }),
      limitMs,
    );
    if ('lost' in socket) return socket;
    const connection = new EppConnection(socket);
    const greeting = await connection.next(limitMs - (performance.now() - from), false);
    return isLost(greeting) ? greeting : { connection, greeting };
  }

  /** Whether a frame can be sent; not after an unsolicited frame. */
  get isOpen(): boolean {
    return this.failure === null && this.waiting.length === 0;
  }

  /** Never throws. */
  async exchange(frame: string, limitMs: number): Promise<string | Lost> {
    if (this.waiting.length > 0) this.fail('no_frame', 'a frame too many');
    if (this.failure !== null) return { ...this.failure, wasSent: false };
    this.socket.write(frameOf(frame));
    return this.next(limitMs, true);
  }

  close(): void {
    this.failure ??= { lost: 'cut_off', detail: 'closed by us' };
    this.socket.destroy();
  }

  private async next(limitMs: number, wasSent: boolean): Promise<string | Lost> {
    const timer = setTimeout(() => this.fail('timeout', `${Math.round(limitMs)} ms`), limitMs);
    try {
      for (;;) {
        const frame = this.waiting.shift();
        if (frame !== undefined) return frame;
        if (this.failure !== null) return { ...this.failure, wasSent };
        await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private fail(lost: Lost['lost'], detail: string): void {
    this.failure ??= { lost, detail };
    this.socket.destroy();
    this.wake();
  }
}

// An address is no name to ask for.
function serverName(host: string): { servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}

function secured(begin: () => TLSSocket, limitMs: number): Promise<TLSSocket | Lost> {
  return new Promise((resolve) => {
    const lose = (lost: Lost['lost'], detail: string) => {
      clearTimeout(timer);
      socket?.destroy();
      resolve({ lost, detail, wasSent: false });
    };
    const timer = setTimeout(() => lose('timeout', `${Math.round(limitMs)} ms`), limitMs);
    let socket: TLSSocket | undefined;
    try {
      socket = begin();
    } catch (error) {
      return lose('unreachable', failureCodeOf(error)); // a certificate that cannot be read
    }
    const onError = (error: unknown) => lose('unreachable', failureCodeOf(error));
    const onClose = () => lose('unreachable', 'closed');
    const opened = socket;
    opened.once('error', onError).once('close', onClose);
    opened.once('secureConnect', () => {
      clearTimeout(timer);
      opened.off('error', onError).off('close', onClose);
      resolve(opened);
    });
  });
}
