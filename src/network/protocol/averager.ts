/** An average in which observations lose half their weight per half-life. AvalancheGo: utils/math/continuous_averager.go. */
export type Averager = {
  readonly observe: (value: number, nowMilliseconds: number) => void;
  readonly read: () => number;
};

export function createAverager(initial: number, halfLifeMilliseconds: number, nowMilliseconds: number): Averager {
  const decay = halfLifeMilliseconds / Math.LN2;
  let sum = initial;
  let weight = 1;
  let updated = nowMilliseconds;
  return {
    read: () => sum / weight,
    observe: (value, now) => {
      if (now >= updated) {
        const old = Math.exp((updated - now) / decay);
        sum = value + old * sum;
        weight = 1 + old * weight;
        updated = now;
      } else {
        // Observations may come in another order than their times.
        const share = Math.exp((now - updated) / decay);
        sum += share * value;
        weight += share;
      }
    },
  };
}
