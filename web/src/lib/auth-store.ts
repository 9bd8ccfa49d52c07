import { create } from 'zustand'

/** The signed-in admin. It is only in memory, because after a reload the cookie gets a new token. */
export interface Auth {
  roles: readonly string[]
  accessToken: string | null
  user_Id: string | null
  /** Null while signed out. */
  userName: string | null
}

export const SIGNED_OUT: Auth = { roles: [], accessToken: null, user_Id: null, userName: null }

export const useAuth = create<Auth>(() => SIGNED_OUT)
