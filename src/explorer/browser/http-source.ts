import type { Source } from '../load/source.ts';
import { call } from './dev-call.ts';
import { getText } from './payload.ts';

/** Reads routes over HTTP, and calls methods of the node. */
export const httpSource = {
  call: async (path, method, params) => ({ status: 200, body: await call(path, method, params) }),
  get: async <T>(path: string) => {
    const text = await getText(path);
    return { status: text === undefined ? 404 : 200, body: (text === undefined ? {} : JSON.parse(text)) as T };
  },
} satisfies Pick<Source, 'get' | 'call'> as unknown as Source;
