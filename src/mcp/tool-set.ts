import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { RecordBudget } from '../access/record-budget.js';
import { ApiError } from '../errors/api-error.js';
import { validationPipe } from '../errors/validation.pipe.js';
import { McpContract } from './mcp-contract.js';
import { toolFailure } from './mcp-failure.js';
import type { McpCall, McpFeature } from './mcp-identity.js';
import { annotationsOf, type Tool, toolsFor, ToolServices } from './tools.js';

interface ToolSchemas {
  readonly inputSchema: StandardSchemaWithJSON;
  readonly outputSchema: StandardSchemaWithJSON;
}

@Injectable()
export class ToolSet implements McpFeature {
  private readonly pipe = validationPipe();
  // Compiling a schema takes milliseconds, a server lives for one request.
  private readonly schemas = new Map<Tool, ToolSchemas>();

  constructor(
    private readonly contract: McpContract,
    private readonly budget: RecordBudget,
    private readonly services: ToolServices,
  ) {}

  register(server: McpServer, call: McpCall): void {
    for (const tool of toolsFor(call.caller.key !== undefined)) {
      const { name, title, description } = tool;
      const config = { title, description, annotations: annotationsOf(tool), ...this.schemasOf(tool) };
      server.registerTool(name, config, (given) => this.run(tool, given, call));
    }
  }

  private async run(tool: Tool, given: unknown, { caller, requestId }: McpCall): Promise<CallToolResult> {
    try {
      const read = await this.read(tool, given);
      if (tool.costsRecords) this.budget.assertLeft(caller);
      const result = await tool.run(read, caller, this.services);
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } };
    } catch (error) {
      // Over HTTP a failed tool is an answer like any other.
      caller.delivery?.discard();
      return toolFailure(error, requestId);
    }
  }

  /** Validates the arguments with the classes of the REST parameters. */
  private async read(tool: Tool, given: unknown): Promise<object> {
    const place = { type: 'query', metatype: tool.arguments } as const;
    const values = scalarsOf(given);
    try {
      return (await this.pipe.transform(values, place)) as object;
    } catch (error) {
      // Models guess names of parameters: the right name helps more than a complaint about the guess.
      const missing = this.contract.requiredOf(tool.arguments).filter((name) => !(name in values));
      if (!(error instanceof ApiError) || missing.length === 0) throw error;
      throw new ApiError(error.code, `${missing.join(' and ')} is missing; ${error.message}`);
    }
  }

  private schemasOf(tool: Tool): ToolSchemas {
    const known = this.schemas.get(tool);
    if (known) return known;
    const schemas = {
      inputSchema: this.contract.inputOf(tool.arguments),
      outputSchema: this.contract.outputOf(tool.results),
    };
    this.schemas.set(tool, schemas);
    return schemas;
  }
}

/** Longer lists than any parameter takes. */
const MAX_LIST = 20;

/**
 * Arguments are single values, or short lists of them. Anything else becomes an empty object, which every rule refuses,
 * so that nested input never reaches the validator. Null counts as left out: models write it.
 */
function scalarsOf(given: unknown): object {
  if (typeof given !== 'object' || given === null) return {};
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([name, value]: [string, unknown]) => [name, isScalar(value) || isList(value) ? value : {}]),
  );
}

const isScalar = (value: unknown) => typeof value !== 'object';

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_LIST && value.every(isScalar);
}
