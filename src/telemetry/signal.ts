import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/**
 * Something that happens in one part and that another may count: whoever tells does not know who hears. Without a listener it
 * costs one comparison.
 */
export class Signal<Message extends object> {
  private readonly channel;

  /** @param name of the channel of node:diagnostics_channel, one a signal */
  constructor(private readonly name: string) {
    this.channel = channel(name);
  }

  tell(message: Message): void {
    if (this.channel.hasSubscribers) this.channel.publish(message);
  }

  /** @returns what ends the listening */
  hear(listener: (message: Message) => void): () => void {
    const hearer = (message: unknown) => listener(message as Message);
    subscribe(this.name, hearer);
    return () => {
      unsubscribe(this.name, hearer);
    };
  }
}
