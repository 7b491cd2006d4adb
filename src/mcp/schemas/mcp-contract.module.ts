import { type DynamicModule, Module } from '@nestjs/common';
import { type ApiDocuments, McpContract } from './mcp-contract.js';

/** Hands what the OpenAPI documents say to whoever asks for it. */
@Module({})
export class McpContractModule {
  /** @param documents null in a preview, which makes nothing */
  static with(documents: ApiDocuments | null): DynamicModule {
    return {
      module: McpContractModule,
      global: true,
      providers: [{ provide: McpContract, useFactory: () => contractOf(documents) }],
      exports: [McpContract],
    };
  }
}

function contractOf(documents: ApiDocuments | null): McpContract {
  if (!documents) throw new Error('there are no OpenAPI documents');
  return new McpContract(documents);
}
