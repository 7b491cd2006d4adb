import { mintOperatorKey } from '../../http/access/operator-key.js';

export function printOperatorKey(name: string): void {
  const { text, hash } = mintOperatorKey();
  process.stdout.write(
    `The key, which is shown only now. Send it as "Authorization: Bearer KEY":\n${text}\n\nFor OPERATOR_KEY_HASH; several are separated by commas:\n${name}:${hash}\n`,
  );
}
