import { expect, test } from '@playwright/test';
import { createClient } from 'serac/client';

test('a transfer appears in the explorer while it is open', async ({ page, baseURL }) => {
  const node = createClient({ url: baseURL });
  const { accounts } = await node.dev.accounts();
  await page.goto('/');
  const { txID } = await node.dev.send({ to: accounts[2].address, amount: '1.5 AVAX' });
  await expect(page.locator(`a[href="/tx/${txID}"]`).first()).toBeVisible();
  await page.goto(`/tx/${txID}`);
  await expect(page.locator('main')).toContainText('1.5 AVAX');
});
