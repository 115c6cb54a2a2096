import { expect, test } from 'bun:test';
import { eventLogIDOf } from './api-events.ts';

test('the ID of an event log stays the same between versions: clients continue by it', () => {
  expect(eventLogIDOf(new Uint8Array(32))).toBe('66687aadf862');
});
