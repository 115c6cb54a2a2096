import type { JsonSchema } from '../contract/json-schema.ts';

/** What a tool of the Model Context Protocol needs from the node that it asks. */
export type ToolNode = {
  /** Calls a method of the Node RPC; its result as JSON. Throws a SeracError. */
  readonly call: (path: string, method: string, params: object) => Promise<unknown>;
  /** Requests a path of the Data, Metrics or explorer API; the text of its answer. Throws a SeracError if the status is not 200. */
  readonly request: (path: string) => Promise<string>;
  /** The name of the node's network in paths of the Data API. */
  readonly networkName: () => Promise<string>;
};

export type ToolArguments = { readonly [name: string]: unknown };

/** A tool, made from a method or a route of the contract. */
export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly onlyReads: boolean;
  /** Returns the JSON text of the answer. */
  readonly run: (node: ToolNode, given: ToolArguments) => Promise<string>;
};

/** The tools of a part of the contract can be left out by its name. */
export const toolGroups = ['avm', 'info', 'health', 'data', 'explorer', 'metrics', 'dev'] as const;
export type ToolGroup = (typeof toolGroups)[number];
