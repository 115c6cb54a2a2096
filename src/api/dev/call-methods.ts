import type { CallLog, LoggedCall } from '../calls/call-log.ts';
import { callRows, defaultLoggedCalls, type LoggedCallJson, maxLoggedCalls } from '../contract/dev-call-methods.ts';
import { implement } from '../rpc/method.ts';
import { DevError } from './fault.ts';

/** What to do about an error, by its code. */
type FindAdvice = (code: string) => string | undefined;

/** The log of calls. To read it switches it on. */
export const callMethods = implement<{
  readonly log: Pick<CallLog, 'ask' | 'list' | 'find' | 'read'>;
  /** Loaded when the log is first read. */
  readonly loadAdvice: () => Promise<FindAdvice>;
}>()(callRows, {
  calls: {
    run: async ({ log, loadAdvice }, { after, limit, method: text, errors: onlyErrors }) => {
      await log.ask();
      const findAdvice = await loadAdvice();
      const count = Math.min(limit === 0 ? defaultLoggedCalls : limit, maxLoggedCalls);
      const calls = log.list({ after, limit: count, text, onlyErrors }).map((call) => describe(call, findAdvice));
      return { calls, ...log.read() };
    },
    needsWriter: true,
  },
  callBodies: {
    run: async ({ log, loadAdvice }, { number }) => {
      await log.ask();
      const call = log.find(number);
      if (call === undefined)
        throw new DevError(`call ${number} is not in the log of calls`, { code: 'DEV_NO_CALL', number, max: maxLoggedCalls });
      return { call: describe(call, await loadAdvice()), request: call.request, answer: call.answer };
    },
    needsWriter: true,
  },
});

/** A call as a row of the list: without bodies. Where the error itself gives no hint, the general advice for its code is the remedy. */
function describe({ request: _, answer: __, error, ...call }: LoggedCall, findAdvice: FindAdvice): LoggedCallJson {
  if (error === undefined) return call;
  const remedy = error.remedy ?? (error.code === undefined ? undefined : findAdvice(error.code));
  return { ...call, error: remedy === undefined ? error : { ...error, remedy } };
}
