import { setDefaultTimeout } from 'bun:test';
import { testTimeout } from '../tools/test-stories.ts';

// Loaded before the tests (bunfig.toml), for a file that is run by itself. Bun forgets it after the first file of a process, and has no place for it in
// bunfig.toml, so tools that run several files give it as an option.
setDefaultTimeout(testTimeout);
