import { type Command, Redis, ReplyError } from 'ioredis';

/** A command that has no answer by then has failed, and so has its connection. */
const ANSWER_LIMIT_MS = 100;
const TICK_MS = 25;
const LIMIT_TICKS = ANSWER_LIMIT_MS / TICK_MS + 1;
/** Without a connection commands fail at once instead of waiting for one. */
const CONNECT_TIMEOUT_MS = 1000;
const MAX_RETRY_MS = 1000;

/** Called after each answer; with an error where Redis refused the command. */
export type OnReply = (command: string, refusal: Error | null) => void;

/**
 * A connection with a time limit: a command that is not answered in time fails together with its connection, and
 * until the next one is ready all commands fail at once. Nothing is sent twice, because a lost command may have
 * been counted.
 *
 * ioredis has limits of its own (commandTimeout, socketTimeout), which blame Redis when this process itself was
 * frozen: its timers run before the data that has arrived meanwhile. Here time is counted in ticks of the event
 * loop, and a freeze is one tick.
 */
export class BoundedRedis extends Redis {
  /** In the order of sending, which is that of the answers, with the tick of it. */
  private readonly waiting = new Map<Command, number>();
  private ticks = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    url: string,
    private readonly onReply: OnReply,
  ) {
    super(url, {
      lazyConnect: true,
      keyPrefix: 'bowerbird:',
      connectTimeout: CONNECT_TIMEOUT_MS,
      retryStrategy: (times) => Math.min(times * ANSWER_LIMIT_MS, MAX_RETRY_MS),
      // After a failover the former primary takes no writes.
      reconnectOnError: ({ message }) => message.startsWith('READONLY'),
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      disableClientInfo: true,
    });
  }

  override sendCommand(...[command, stream]: Parameters<Redis['sendCommand']>): unknown {
    this.waiting.set(command, this.ticks);
    this.keepWatch();
    const sent = super.sendCommand(command, stream);
    command.promise.then(
      () => this.answered(command, null),
      (error: unknown) => this.answered(command, error),
    );
    return sent;
  }

  private answered(command: Command, error: unknown): void {
    this.waiting.delete(command);
    // A script that Redis does not know any more is sent to it with the next command.
    const isRefusal = error instanceof ReplyError && !String(error).includes('NOSCRIPT');
    if (error === null || isRefusal) this.onReply(command.name, isRefusal ? (error as Error) : null);
  }

  private keepWatch(): void {
    // Data that has arrived is read before the limit is checked.
    this.timer ??= setTimeout(() => setImmediate(() => this.look()), TICK_MS).unref();
  }

  private look(): void {
    this.timer = undefined;
    this.ticks += 1;
    const [oldest] = this.waiting.values();
    if (oldest === undefined) return;
    if (this.ticks - oldest >= LIMIT_TICKS)
      this.stream.destroy(new Error(`no answer within ${ANSWER_LIMIT_MS} ms`));
    else this.keepWatch();
  }
}
