import { isLoopbackHost } from '../../base/bytes/ip-address.ts';
import { isRecord } from '../client/convert.ts';
import { stripPort } from '../http/allowed-hosts.ts';
import { findBodyError } from '../http/body-error.ts';
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts';
import { createSession, type McpServer, type McpSession, parseMessage, protocolVersions } from './session.ts';

type SessionEnv = {
  /** Random bytes: who knows the ID of a session can use it. */
  readonly random: (length: number) => Uint8Array;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
};

/** The path of the server. */
export const mcpPath = '/mcp';

/** The most sessions; the one that was used least recently is ended for a new one. */
export const maxSessions = 100;
/** Milliseconds without a request after which a session ends. */
export const sessionIdle = 3_600_000;
/** The most bytes of a message: a signed transaction as hex fits. */
const maxMessage = 1_048_576;

type OpenSession = { readonly session: McpSession; usedAt: number };

/**
 * The protocol over HTTP ("Streamable HTTP"): one message per POST, with its answer as JSON. The server never sends by itself, so GET, which
 * would open a stream, is refused. Requests of web pages are refused: they could reach a server on this machine by DNS rebinding.
 */
export function createMcpHandler(server: McpServer, { random, monotonic }: SessionEnv): Handler {
  const sessions = new Map<string, OpenSession>();

  const open = (): string => {
    for (const [id, { usedAt }] of sessions) {
      // In the order of their last use: the first ones are the oldest.
      if (sessions.size < maxSessions && monotonic() - usedAt <= sessionIdle) break;
      sessions.delete(id);
    }
    const id = Buffer.from(random(16)).toString('hex');
    sessions.set(id, { session: createSession(server), usedAt: monotonic() });
    return id;
  };
  /** The session of a request, or the response that refuses it. */
  const find = (request: HttpRequest): { readonly id: string; readonly session: McpSession } | HttpResponse => {
    const id = request.header('mcp-session-id');
    if (id === null) return refuse(400, 'send the Mcp-Session-Id that the answer to initialize had');
    const version = request.header('mcp-protocol-version');
    if (version !== null && !protocolVersions.some((known) => known === version))
      return refuse(400, `unknown Mcp-Protocol-Version; this server has ${protocolVersions.join(', ')}`);
    const found = sessions.get(id);
    sessions.delete(id);
    if (found === undefined || monotonic() - found.usedAt > sessionIdle)
      return refuse(404, 'there is no such session any more; send initialize again');
    found.usedAt = monotonic();
    sessions.set(id, found);
    return { id, session: found.session };
  };
  const post = async (request: HttpRequest): Promise<HttpResponse> => {
    if (!/^application\/json\s*(?:;|$)/i.test(request.header('content-type') ?? ''))
      return refuse(415, 'the message must be application/json');
    if (!/application\/json|\*\/\*/i.test(request.header('accept') ?? '*/*')) return refuse(406, 'the answer is application/json');
    const message = parseMessage(Buffer.from(await request.body(maxMessage)).toString('utf8'));
    const isFirst = isRecord(message) && message.method === 'initialize';
    const found = isFirst ? undefined : find(request);
    if (found !== undefined && 'status' in found) return found;
    const id = found?.id ?? open();
    const session = found?.session ?? (sessions.get(id) as OpenSession).session;
    const reply = await session.handle(message);
    if (reply === undefined) return { status: 202, headers: {}, body: '' };
    return { status: 200, headers: isFirst ? { ...json, 'mcp-session-id': id } : json, body: reply };
  };

  return async (request) => {
    if (request.path !== mcpPath) return refuse(404, `the server is at ${mcpPath}`);
    const host = request.header('host') ?? '';
    if (!isLoopbackHost(stripPort(host))) return refuse(403, 'only the addresses of this machine are allowed as Host');
    const origin = request.header('origin');
    if (origin !== null && origin.toLowerCase() !== `http://${host.toLowerCase()}`) return refuse(403, 'web pages are not allowed here');
    if (request.method === 'POST')
      return post(request).catch((error: unknown) => {
        const found = findBodyError(error);
        if (found === undefined) throw error;
        return refuse(found.status, found.message);
      });
    if (request.method !== 'DELETE')
      return { ...refuse(405, 'POST a message, or DELETE a session'), headers: { ...json, allow: 'POST, DELETE' } };
    const found = find(request);
    if ('status' in found) return found;
    sessions.delete(found.id);
    return { status: 204, headers: {}, body: '' };
  };
}

const json = { 'content-type': 'application/json' };

const refuse = (status: number, message: string): HttpResponse => ({
  status,
  headers: json,
  body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }),
});
