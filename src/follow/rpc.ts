import { FollowError, nonsense, silent, stopped } from './fault.ts';
import type { Timing } from './pause.ts';
import type { Transport } from './transport.ts';

/** JSON-RPC 2.0 over a transport: one call, one answer, told apart as silence, nonsense, refusal and result. */
export type Rpc = {
  readonly call: (path: string, method: string, params: object, limits?: CallLimits) => Promise<Readonly<Record<string, unknown>>>;
  readonly close: () => void;
};

/** Bytes that an answer may have, and milliseconds that it may take. */
export type CallLimits = { readonly bytes?: number; readonly timeout?: number };

export type RpcDeps = {
  readonly transport: Transport;
  readonly timing: Pick<Timing, 'after'>;
  /** Milliseconds until an answer no longer counts. */
  readonly timeout?: number;
};

const usualTimeout = 10_000;
const usualAnswer = 64 * 1024;

export function createRpc(url: string, { transport, timing, timeout = usualTimeout }: RpcDeps): Rpc {
  const base = url.replace(/\/+$/, '');
  const underWay = new Set<AbortController>();
  let closed = false;
  let lastID = 0;

  const ask = async (path: string, method: string, body: string, maxBytes: number, limit: number): Promise<string> => {
    if (closed) throw stopped();
    const abort = new AbortController();
    underWay.add(abort);
    let late = false;
    const cancel = timing.after(limit, () => {
      late = true;
      abort.abort();
    });
    try {
      const { status, text } = await transport({ url: base + path, body, maxBytes, signal: abort.signal });
      // A node that starts has no routes yet (404), one that still fetches its chain says 503, a proxy before it 502 or 504.
      if (status !== 200) throw silent(method, statusText(status));
      if (text === undefined) throw nonsense(method, `the answer is longer than ${maxBytes} bytes`);
      return text;
    } catch (cause) {
      if (cause instanceof FollowError) throw cause;
      if (closed) throw stopped();
      throw silent(
        method,
        late ? `no answer within ${Math.round(limit)} ms` : String((cause as { message?: unknown } | null)?.message ?? cause),
      );
    } finally {
      cancel();
      underWay.delete(abort);
    }
  };

  return {
    call: async (path, method, params, { bytes = usualAnswer, timeout: limit = timeout } = {}) => {
      const id = ++lastID;
      const text = await ask(path, method, JSON.stringify({ jsonrpc: '2.0', id, method, params }), bytes, limit);
      return resultOf(method, id, text);
    },
    close: () => {
      closed = true;
      for (const abort of underWay) abort.abort();
    },
  };
}

const statusText = (status: number): string =>
  status >= 300 && status < 400 ? `HTTP status ${status}; redirects are not followed, give the final URL` : `HTTP status ${status}`;

/** Numbers that matter are texts in the answers read here, so JavaScript's own reader does no harm. */
function resultOf(method: string, id: number, text: string): Readonly<Record<string, unknown>> {
  const answer = jsonOf(method, text);
  if (!isRecord(answer) || answer.jsonrpc !== '2.0' || answer.id !== id) throw nonsense(method, 'it is no answer to this question');
  if (isRecord(answer.error)) throw refused(method, answer.error);
  if (!isRecord(answer.result)) throw nonsense(method, 'there is neither a result nor an error');
  return answer.result;
}

function jsonOf(method: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw nonsense(method, 'it is not JSON');
  }
}

function refused(method: string, { code, message }: Record<string, unknown>): FollowError {
  if (typeof code !== 'number' || typeof message !== 'string') return nonsense(method, 'the error has no code and message');
  return new FollowError(message, { code: 'FOLLOW_REFUSED', method, rpcCode: code });
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
