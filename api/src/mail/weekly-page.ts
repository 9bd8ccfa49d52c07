/** Asks for a press, because mail programs open links to check them. The form sends what RFC 8058 wants. */
export const ASK_PAGE = {
  status: 200,
  title: 'Unsubscribe from the weekly email?',
  content: `<p>You can turn it on again in your account.</p>
<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button>Unsubscribe</button>
</form>`,
}
export const DONE_PAGE = {
  status: 200,
  title: "You're unsubscribed",
  content: "<p>You won't get the weekly email anymore. You can turn it on again in your account.</p>",
}
export const UNKNOWN_PAGE = {
  status: 404,
  title: 'This link is unknown',
  content: '<p>You can turn off the weekly email in your account.</p>',
}
