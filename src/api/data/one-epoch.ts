/**
 * Runs `work` again if the chain was reverted meanwhile: what it read before the revert does not match what it read after. An error counts
 * only if there was no revert: `work` may have looked for a row that the revert removed.
 */
export async function atOneEpoch<T>(epoch: () => number, work: (epoch: number) => Promise<T>): Promise<T> {
  for (;;) {
    const started = epoch();
    try {
      const result = await work(started);
      if (epoch() === started) return result;
    } catch (error) {
      if (epoch() === started) throw error;
    }
  }
}
