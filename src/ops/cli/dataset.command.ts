import type { Command } from 'commander';
import { type OrderFlags, takesReason } from './order-flags.js';

const CHANGES = [
  [
    'hide',
    'Withhold a name from discovery, the feed and exports. Who holds a copy is told to leave it out, and not why.',
  ],
  ['unhide', 'Show a name again. Feed, exports and webhooks are told of it as what it is now.'],
  ['remove', 'Forget a name. The next list that has it brings it back: what shall stay away is hidden.'],
] as const;

/** `bowerbird dataset show surf.com.au`, `bowerbird dataset hide surf.com.au --reason …` */
export function registerDataset(program: Command): void {
  const dataset = program.command('dataset').description('Look at single names, and say a word about them.');
  dataset
    .command('show')
    .description('Print all that there is of a name: lists, answers, events, who said what when.')
    .argument('<name>', 'the name')
    .action(async (name: string) => (await import('./actions/dataset.action.js')).showName(name));
  for (const [word, description] of CHANGES)
    takesReason(dataset.command(word).description(description).argument('<name>', 'the name')).action(
      async (name: string, flags: OrderFlags) =>
        (await import('./actions/dataset.action.js')).changeName(word, name, flags),
    );
}
