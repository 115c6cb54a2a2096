const codes = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'];

/** Whether the connection broke or the response was incomplete, as when a process is killed. */
export const isDisconnect = (error: unknown): boolean =>
  error instanceof SyntaxError || codes.includes((error as { code?: string }).code ?? '');

/** The process answered that it is stopping, or a reader process that its writer is gone: the outcome of the request is unknown. */
export class StoppingNode extends Error {}

const stoppingCodes: readonly unknown[] = ['NODE_STOPPING', 'RELAY_BUSY'];

/** Throws `StoppingNode` if that is what an error says. */
export function expectRunning(error: unknown): void {
  if (stoppingCodes.includes((error as { data?: { code?: unknown } } | undefined)?.data?.code)) throw new StoppingNode();
}
