import type { MethodJson } from '../../api/contract/answers.ts';
import { callIfAllowed, type Source } from './source.ts';

export type CallsData = MethodJson<'dev.calls'> & {
  /** Text in a method or path, and whether only calls with an error are listed. */
  readonly filter: { readonly method: string; readonly errors: boolean };
  /** The call that the URL names, with its bodies. */
  readonly opened: CallDetails | undefined;
};
export type LoggedCall = CallsData['calls'][number];
export type CallDetails = MethodJson<'dev.callBodies'>;

/** Calls of a page. */
export const shownCalls = 200;

/** The log of calls: to load it switches it on. Undefined if the caller may not use `/ext/dev`. */
export async function loadCalls(source: Source, query: URLSearchParams): Promise<CallsData | undefined> {
  const filter = { method: query.get('method')?.slice(0, 100) ?? '', errors: query.has('errors') };
  const number = Number(query.get('call') ?? 0);
  const [list, opened] = await Promise.all([
    callIfAllowed(source, '/ext/dev', 'dev.calls', { limit: shownCalls, ...filter }),
    Number.isInteger(number) && number > 0 && number < 2 ** 32
      ? callIfAllowed(source, '/ext/dev', 'dev.callBodies', { number })
      : undefined,
  ]);
  return list && { ...list, filter, opened };
}
