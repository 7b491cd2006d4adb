import { EXIT_FAILED, type ServiceCommand } from '../command.js';
import type { AnswerOf } from '../answers.js';
import { describeDiagnosis, Doctor } from '../doctor.js';
import { readOperatorConfig } from './database.js';
import { runCommand } from './service.js';

/** Examines the installation, also where its database cannot be opened. Sets the exit code. */
export async function runDoctor(command: ServiceCommand, asJson: boolean): Promise<void> {
  const printed: unknown[] = [];
  const print = (answer: AnswerOf<'Diagnosis'>) => {
    printed.push(answer);
    if (answer.problems > 0) process.exitCode = EXIT_FAILED;
    return asJson ? `${JSON.stringify(answer, null, 2)}\n` : describeDiagnosis(answer);
  };
  try {
    await runCommand({ ...command, print: (answer) => print(answer as AnswerOf<'Diagnosis'>) }, {}, {});
  } catch (error) {
    // A report that is printed is not followed by another.
    if (printed.length > 0 || !(error instanceof Error)) throw error;
    process.stdout.write(print(await new Doctor(await readOperatorConfig(), error).examine()));
  }
}
