import { create } from 'zustand'

/** The signed-in admin. In memory only: a reload gets a new token with the cookie. */
export interface Auth {
  roles: readonly string[]
  accessToken: string | null
  user_Id: string | null
  /** Null when signed out. */
  userName: string | null
}

export const SIGNED_OUT: Auth = { roles: [], accessToken: null, user_Id: null, userName: null }

export const useAuth = create<Auth>(() => SIGNED_OUT)
