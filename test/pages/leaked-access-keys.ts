import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Reports texts that are not complete keys. Starts on the page that shows an earlier key as revoked. */
export async function expectNoMoreThanKnown(passerBy: Page): Promise<void> {
  const id = `SCAK${'A'.repeat(16)}`;
  const checksums = (count: number) =>
    Array.from({ length: count }, (_, each) => `${each}`.padStart(64, '0')).join(' ');
  const field = passerBy.getByLabel('What you found');
  await field.fill(`${id} ${checksums(1)}`);
  await passerBy.getByRole('button', { name: 'Revoke the key' }).click();
  await passerBy.getByText('Otherwise the key still works').waitFor();
  await passerBy.getByRole('button', { name: 'Revoke another key' }).click();
  await field.fill(`${id} ${checksums(1001)}`);
  await passerBy.getByText(`${id} may still work afterwards`).waitFor();
  await passerBy.getByRole('button', { name: 'Revoke the key' }).click();
  await passerBy.getByRole('heading', { name: 'Thank you' }).waitFor();
  await passerBy.getByText(`${id} may still work afterwards`).waitFor();
  expect(await passerBy.getByText('nobody can sign in with it').count()).toBe(0);
  await passerBy.getByRole('button', { name: 'Revoke another key' }).click();
  await field.fill(`AKIA${'A'.repeat(16)} ${checksums(1)}`);
  await passerBy.getByText('is the ID of an access key of Amazon Web Services').waitFor();
  expect(await passerBy.getByRole('button', { name: 'Revoke the key' }).isDisabled()).toBe(true);
  await field.fill('nothing of the kind');
  await passerBy.getByText('This text contains no complete key').waitFor();
  // When the text field is cleared, the page repeats which keys it did not report, with the reason.
  await field.fill(`${id} ${checksums(1)} sck_abcdefgh AKIA${'A'.repeat(16)} SCTA${'A'.repeat(16)}`);
  await passerBy.getByRole('button', { name: 'Revoke the key' }).click();
  await passerBy.getByRole('heading', { name: 'Thank you' }).waitFor();
  await passerBy.getByText('sck_abcd… is not a complete key').waitFor();
  await passerBy.getByText('is the ID of temporary credentials').waitFor();
  await passerBy.getByText('of Amazon Web Services').waitFor();
}
