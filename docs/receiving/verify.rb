require "openssl"

TOLERANCE_SECONDS = 300

# Returns whether one of the secrets signed this body within five minutes of now. Call it before you parse the body, in Rack:
#
#   genuine?(
#     request.body.read,
#     request.get_header("HTTP_WEBHOOK_ID"),
#     request.get_header("HTTP_WEBHOOK_TIMESTAMP"),
#     request.get_header("HTTP_WEBHOOK_SIGNATURE"),
#     ENV.fetch("WEBHOOK_SECRET").split # several while one is being replaced
#   )
def genuine?(body, id, timestamp, signatures, secrets, now: Time.now.to_i)
  return false if id.to_s.empty? || !timestamp.to_s.match?(/\A\d{1,15}\z/)
  return false if (now - timestamp.to_i).abs > TOLERANCE_SECONDS

  content = "#{id}.#{timestamp}.".b + body.b
  secrets.any? do |secret|
    key = secret.delete_prefix("whsec_").unpack1("m")
    expected = "v1," + [OpenSSL::HMAC.digest("SHA256", key, content)].pack("m0")
    # Everybody knows the empty key.
    !key.empty? && signatures.to_s.split.any? { |signature| OpenSSL.secure_compare(expected, signature) }
  end
end
