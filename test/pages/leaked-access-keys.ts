import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Reports findings that are not complete keys. Starts on the page that shows an earlier key as revoked. */
export async function expectNoMoreThanKnown(passerBy: Page): Promise<void> {
  const id = `SCAK${'A'.repeat(16)}`;
  const checksums = (count: number) =>
    Array.from({ length: count }, (_, each) => `${each}`.padStart(64, '0')).join(' ');
  const field = passerBy.getByLabel('What you found');
  await field.fill(`${id} ${checksums(1)}`);
  await passerBy.getByRole('button', { name: 'Revoke the key' }).click();
  await passerBy.getByText('If it was not, the key still works').waitFor();
  await passerBy.getByRole('button', { name: 'Revoke another' }).click();
  await field.fill(`${id} ${checksums(1001)}`);
  await passerBy.getByText(`${id} may still work afterwards`).waitFor();
  await passerBy.getByRole('button', { name: 'Revoke the key' }).click();
  await passerBy.getByRole('heading', { name: 'Thank you' }).waitFor();
  await passerBy.getByText(`${id} may still work afterwards`).waitFor();
  expect(await passerBy.getByText('any more in about').count()).toBe(0);
  await passerBy.getByRole('button', { name: 'Revoke another' }).click();
  await field.fill(`AKIA${'A'.repeat(16)} ${checksums(1)}`);
  await passerBy.getByText('is the ID of an access key of Amazon Web Services').waitFor();
  expect(await passerBy.getByRole('button', { name: 'Revoke the key' }).isDisabled()).toBe(true);
  await field.fill('nothing of the kind');
  await passerBy.getByText('There is no whole key in this text').waitFor();
  // When the text is gone, the page repeats what was not sent, with the reason.
  await field.fill(`${id} ${checksums(1)} sck_abcdefgh AKIA${'A'.repeat(16)} SCTA${'A'.repeat(16)}`);
  await passerBy.getByRole('button', { name: 'Revoke the key' }).click();
  await passerBy.getByRole('heading', { name: 'Thank you' }).waitFor();
  await passerBy.getByText('sck_abcd… is no whole key').waitFor();
  await passerBy.getByText('is the ID of temporary credentials').waitFor();
  await passerBy.getByText('of Amazon Web Services').waitFor();
}
