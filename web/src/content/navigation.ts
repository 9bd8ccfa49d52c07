export const navigation: readonly { label: string; to: string }[] = [
  { label: 'Home', to: '/' },
  { label: 'Blog', to: '/blogs' },
  { label: 'Contact', to: '/contact' },
  { label: 'Reviews', to: '/reviews' },
  { label: 'FAQ', to: '/faq' },
]
