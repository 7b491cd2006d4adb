import type { Command } from 'commander';

interface ScoreFlags {
  readonly file?: string;
}

/** `bowerbird score coffeecart.com.au` */
export function registerScore(program: Command): void {
  program
    .command('score')
    .description('Ask the web archive about a name now, compute its score and print the steps.')
    .argument('<name>', 'the name; one that the dataset has keeps the score')
    .option(
      '--file <file>',
      'compute it from an answer of a CDX server in a file; nobody is asked, nothing is kept',
    )
    .action(async (text: string, { file }: ScoreFlags) =>
      (await import('./actions/score.action.js')).score(text, file),
    );
}
