import type { Answer, ToolAnswer } from '../../support/mcp.js';

/** Arguments, or how they follow from what was answered before. */
type Given = Record<string, unknown> | ((answers: readonly Answer[]) => Record<string, unknown>);

/** A call of a tool. */
export interface Step {
  readonly tool: string;
  readonly given?: Given;
  /** A mistake on purpose, which the schema does not allow: the answer says how to go on. */
  readonly isMistake?: true;
}

/** Who asks: the demo, or somebody with a key. */
export type Asker = 'demo' | 'member' | 'pro';

/** What somebody wants of an agent, what a careful agent calls for it, and what the answer is. */
export interface Task {
  readonly kind: 'find' | 'compare' | 'watch' | 'hand over' | 'be refused';
  readonly ask: string;
  readonly as: Asker;
  readonly steps: readonly Step[];
  /** What is told to the user, from the answers in their order. */
  readonly answer: (answers: readonly Answer[], failures: readonly boolean[]) => unknown;
  readonly expected: unknown;
}

/** The most calls that a task may take. */
export const MAX_CALLS = 4;

interface Described {
  readonly name: string;
  readonly inputSchema: { properties?: Record<string, unknown>; required?: string[] };
}

interface Played {
  readonly answer: unknown;
  readonly calls: number;
  /** Of arguments and answers, as text. */
  readonly bytes: number;
}

/**
 * Plays a task with what the list of tools says, and nothing else: a tool that is not listed, or an argument that it does not
 * describe, is what an agent could not have known.
 */
export async function play(
  task: Task,
  tools: readonly Described[],
  call: (tool: string, given: Record<string, unknown>) => Promise<ToolAnswer>,
): Promise<Played> {
  const answers: Answer[] = [];
  const failures: boolean[] = [];
  let bytes = 0;
  for (const { tool, given = {}, isMistake } of task.steps) {
    const values = typeof given === 'function' ? given(answers) : given;
    if (!isMistake) assertDescribed(tools, tool, values);
    const { isError, text } = await call(tool, values);
    bytes += Buffer.byteLength(JSON.stringify(values)) + Buffer.byteLength(JSON.stringify(text));
    answers.push(text);
    failures.push(isError);
  }
  return { answer: task.answer(answers, failures), calls: task.steps.length, bytes };
}

function assertDescribed(tools: readonly Described[], name: string, values: Record<string, unknown>): void {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`${name} is not offered`);
  const { properties = {}, required = [] } = tool.inputSchema;
  const unknown = Object.keys(values).filter((argument) => !(argument in properties));
  const missing = required.filter((argument) => !(argument in values));
  if (unknown.length + missing.length > 0)
    throw new Error(`${name} describes no ${unknown.join(', ')}, or needs ${missing.join(', ')}`);
}
