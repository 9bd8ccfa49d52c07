import { expect, type Locator, type Page } from '@playwright/test'
import sharp from 'sharp'

export function editor(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Blog Content' })
}

export function photograph(background = '#2a7f4f'): Promise<Buffer> {
  return sharp({ create: { width: 1600, height: 1000, channels: 3, background } })
    .jpeg()
    .toBuffer()
}

/** Fills in the form of a new post. */
export async function fillIn(page: Page, title: string): Promise<void> {
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Summary').fill('What to pack the evening before.')
  await page
    .getByLabel('Upload Image')
    .setInputFiles({ name: 'desk.jpg', mimeType: 'image/jpeg', buffer: await photograph() })
  // The form below moves once the preview is read.
  await expect(page.getByRole('img', { name: 'Preview of desk.jpg' })).toBeVisible()
  await page.getByLabel('Alt text', { exact: true }).first().fill('A green square')
  await editor(page).fill('Pack your passport.')
}

/** The link to the post is there until the post is sent again; the toast may be gone before a slow machine looks. */
export async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('link', { name: 'View post' })).toBeVisible()
}

export async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByRole('link', { name: 'View post' })).toBeVisible()
}
