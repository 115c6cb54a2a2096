import type { LineLevel } from '../cli/log.ts';
import { Fault } from '../fault.ts';
import type { Env } from './env.ts';

export const pause = ({ after }: Pick<Env['timers'], 'after'>, milliseconds: number): Promise<void> =>
  new Promise((resolve) => after(milliseconds, resolve));

/** Whoever waits for something tries again and again, and says so only when there is something new to say. */
export function sayOnce(log: Env['log']): (line: string, level?: LineLevel) => void {
  let said = '';
  return (line, level) => {
    if (line !== said) log(`serac: ${line}`, level);
    said = line;
  };
}

export const messageOf = (error: unknown): string => (error instanceof Fault ? error.message : String(error));
