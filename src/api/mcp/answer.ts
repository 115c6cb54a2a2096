import type { Tool } from './tool.ts';

/** The result of `tools/call`. */
export type ToolResult = { readonly content: readonly { readonly type: 'text'; readonly text: string }[]; readonly isError?: true };

const textPart = (text: string) => ({ type: 'text', text }) as const;

/** An answer of at most `max` characters. What is longer is cut, with a second text that says so and how to ask for less. */
export function boundAnswer(tool: Pick<Tool, 'inputSchema'>, text: string, max: number): ToolResult {
  if (text.length <= max) return { content: [textPart(text)] };
  const note = `The answer was cut: these are the first ${max} of its ${text.length} characters, so the JSON above is incomplete. ${adviseOn(tool)}`;
  return { content: [textPart(text.slice(0, max)), textPart(note)] };
}

/** How to get the answer of a tool in parts, by the parameters it has. */
function adviseOn({ inputSchema: { properties = {} } }: Pick<Tool, 'inputSchema'>): string {
  if ('pageSize' in properties) return 'Call it again with a smaller pageSize, and get the next page with its nextPageToken as pageToken.';
  if ('startIndex' in properties) return 'Call it again with a smaller limit, and get the next page with its endIndex as startIndex.';
  return 'It has no pages: ask for a part of it with another tool, or raise --max-answer of serac mcp.';
}

/** Errors of a tool are results that the model reads, not errors of the protocol. */
export const failedAnswer = (text: string): ToolResult => ({ content: [textPart(text.slice(0, maxErrorText))], isError: true });

const maxErrorText = 8_000;

/** Says which arguments a tool does not have or lacks; undefined if there are none. Their values are checked by the node. */
export function checkArguments({ inputSchema }: Pick<Tool, 'inputSchema'>, given: object): string | undefined {
  const names = Object.keys(inputSchema.properties ?? {});
  const listed = names.length === 0 ? 'it has none' : `they are: ${names.join(', ')}`;
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0) return `unknown argument${unknown.length === 1 ? '' : 's'} ${unknown.slice(0, 10).join(', ')}; ${listed}`;
  const missing = (inputSchema.required ?? []).filter((name) => !Object.hasOwn(given, name));
  if (missing.length > 0) return `missing argument${missing.length === 1 ? '' : 's'} ${missing.join(', ')}; ${listed}`;
  return undefined;
}
