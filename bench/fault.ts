import { Fault } from '../src/base/fault.ts';

/** A measurement that failed. */
export class BenchError extends Fault<{ readonly code: 'BENCH_FAILED' }> {
  constructor(message: string) {
    super(message, { code: 'BENCH_FAILED' });
  }
}
