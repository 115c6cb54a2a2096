/** Runs `work` again if the chain was reverted meanwhile: what it read before the revert does not match what it read after. */
export async function atOneEpoch<T>(epoch: () => number, work: (epoch: number) => Promise<T>): Promise<T> {
  for (;;) {
    const started = epoch();
    const result = await work(started);
    if (epoch() === started) return result;
  }
}
