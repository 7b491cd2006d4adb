import { OperatorDataset } from '../../http/dataset/operator-dataset.js';
import type { OrderFlags } from '../order-flags.js';
import { orderOf, print, withOperators } from './operators.action.js';

export async function showName(name: string): Promise<void> {
  print(await withOperators(OperatorDataset, (dataset) => dataset.show(name)));
}

export async function changeName(
  word: 'hide' | 'unhide' | 'remove',
  name: string,
  flags: OrderFlags,
): Promise<void> {
  const order = orderOf(flags);
  const { changed } = await withOperators(OperatorDataset, (dataset) =>
    word === 'remove' ? dataset.remove(name, order) : dataset.setHidden(name, word === 'hide', order),
  );
  const state = { hide: 'hidden', unhide: 'shown', remove: 'forgotten' }[word];
  process.stdout.write(`${name} is ${state}${changed ? '' : ', as it was'}\n`);
}
