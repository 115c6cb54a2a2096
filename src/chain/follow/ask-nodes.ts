import { compareBigints } from '../../base/bytes/octets.ts';
import { type AnyFault, Fault, whyOf } from '../../base/fault.ts';

/** What several nodes answered to one question, and which failed and why. A node that was not waited for is in neither list. */
type Answers<T> = {
  readonly answers: readonly T[];
  readonly failures: readonly { readonly url: string; readonly error: unknown }[];
};

type AskOptions<T> = {
  /** Calls `run` after a number of milliseconds. Returns a function that cancels the timer. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Whether these answers decide the question, so that the other nodes need not be waited for. */
  readonly isEnough?: (answers: readonly T[]) => boolean;
};

/** More than half. */
export const majorityOf = (nodes: number): number => Math.floor(nodes / 2) + 1;

/** Milliseconds that the slower nodes get once more than half have answered: a frozen node must not hold up every question. */
const stragglerTime = 1000;

/**
 * Asks nodes at the same time. Ends when all have answered or failed, when the answers are enough, or when more than half have answered and the
 * others take too long. Rejects only with errors that are no faults.
 */
export function askNodes<N extends { readonly url: string }, T>(
  nodes: readonly N[],
  ask: (node: N) => Promise<T>,
  { after, isEnough = () => false }: AskOptions<T>,
): Promise<Answers<T>> {
  const answers: T[] = [];
  const failures: { url: string; error: unknown }[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<Answers<T>>();
  /** Cancels the timer that ends the wait for the others. It is started once, when more than half have answered. */
  let cancel: (() => void) | undefined;
  const end = (): void => {
    cancel?.();
    resolve({ answers: [...answers], failures: [...failures] });
  };
  const check = (): void => {
    if (answers.length + failures.length === nodes.length || isEnough(answers)) end();
    else if (answers.length >= majorityOf(nodes.length)) cancel ??= after(stragglerTime, end);
  };
  for (const node of nodes)
    ask(node).then(
      (answer) => {
        answers.push(answer);
        check();
      },
      (error: unknown) => {
        if (!(error instanceof Fault)) reject(error);
        failures.push({ url: node.url, error });
        check();
      },
    );
  return promise;
}

/** The same, for questions that more than half of the nodes must answer. If fewer do, it throws the error that `tooFew` makes of the reason. */
export async function askMajority<N extends { readonly url: string }, T>(
  nodes: readonly N[],
  ask: (node: N) => Promise<T>,
  options: AskOptions<T>,
  tooFew: (reason: string) => AnyFault,
): Promise<readonly T[]> {
  const needed = majorityOf(nodes.length);
  const { answers, failures } = await askNodes(nodes, ask, options);
  if (answers.length >= needed) return answers;
  const silent = failures.map(({ url, error }) => `${url}: ${whyOf(error)}`).join('; ');
  throw tooFew(`${needed} of ${nodes.length} nodes must answer, ${answers.length} did; ${silent}`);
}

/** The answer that so many nodes gave; undefined if there is none. Answers with the same text are the same. */
export function findAgreed<T>(answers: readonly T[], needed: number, textOf: (answer: T) => string): { readonly answer: T } | undefined {
  const counts = new Map<string, number>();
  for (const answer of answers) {
    const text = textOf(answer);
    const count = (counts.get(text) ?? 0) + 1;
    if (count >= needed) return { answer };
    counts.set(text, count);
  }
  return undefined;
}

/** The greatest height that so many of the nodes have. */
export const heightReachedBy = (count: number, heights: readonly bigint[]): bigint =>
  [...heights].sort((a, b) => compareBigints(b, a))[count - 1] ?? 0n;
