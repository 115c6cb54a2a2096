/** Characters of an answer that are read at most. */
const maxAnswer = 100;

/** Returns a function that asks a question at a terminal, whether something is to be done; Enter alone means no. Undefined if nobody can be asked. */
export const createConfirm =
  (
    input: AsyncIterable<Uint8Array | string> & { readonly isTTY?: boolean | undefined },
    output: { readonly write: (text: string) => unknown },
  ) =>
  async (question: string): Promise<boolean | undefined> => {
    if (input.isTTY !== true) return undefined;
    output.write(`${question} [y/N] `);
    let typed = '';
    for await (const chunk of input) {
      typed += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
      if (typed.includes('\n') || typed.length > maxAnswer) break;
    }
    return /^\s*y(?:es)?\s*$/i.test(typed.split('\n')[0] ?? '');
  };
